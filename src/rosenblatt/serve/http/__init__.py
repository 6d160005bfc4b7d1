"""The service over HTTP: requests, answers, routes."""

"""What comes over a connection, before it is a request."""

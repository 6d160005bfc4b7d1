"""The demo: its runs and its screen."""

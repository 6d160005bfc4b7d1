"""The store of the service: one SQLite database with a log of every example."""

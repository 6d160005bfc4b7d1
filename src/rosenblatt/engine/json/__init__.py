"""JSON in the core."""

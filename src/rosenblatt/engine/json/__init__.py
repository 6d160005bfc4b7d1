"""JSON, parsed by the core."""

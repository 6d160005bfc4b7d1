"""What the service does with each line, compiled."""

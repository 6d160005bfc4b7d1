"""What the service says of itself: metrics and logs."""

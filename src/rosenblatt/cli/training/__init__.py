"""Training run: rows, epochs, checkpoints, held-out rows, summary."""

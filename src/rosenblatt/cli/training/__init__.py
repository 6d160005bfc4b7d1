"""One training run: passes, checkpoints, held-out rows."""

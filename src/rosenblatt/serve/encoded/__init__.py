"""Models that take raw rows: those of model files whose notes say how rows are read."""

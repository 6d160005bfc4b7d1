"""The report page of a training run."""

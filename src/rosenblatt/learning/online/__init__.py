"""The learner of named features, one example at a time."""

"""What leaves a store for good: what remains of an example, whole models, and a search for both."""

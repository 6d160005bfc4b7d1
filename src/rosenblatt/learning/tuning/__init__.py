"""Learners of many settings side by side, and the best of them."""

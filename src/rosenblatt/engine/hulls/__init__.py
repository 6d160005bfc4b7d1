"""Nearest points of convex hulls: the search behind certificates."""

"""Minimum-norm points of convex hulls, for the search of certificates."""

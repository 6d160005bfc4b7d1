"""Synthetic data with known solutions."""

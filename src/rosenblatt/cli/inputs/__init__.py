"""Inputs that a command line names: data, models, proofs, output paths."""

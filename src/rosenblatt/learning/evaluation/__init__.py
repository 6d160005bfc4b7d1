"""Prequential evaluation: predict first, then learn."""

"""Parquet and Arrow files, read and written."""

"""Parsers of text files."""

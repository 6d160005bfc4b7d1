"""Output: consoles, formats, tables, progress, errors."""

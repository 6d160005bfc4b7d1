"""Text for the terminal: tables, numbers, progress, errors."""

"""Arguments opened and checked: DATA, MODEL, output paths."""

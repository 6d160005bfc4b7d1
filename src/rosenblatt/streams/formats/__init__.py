"""One file for each format of rows."""

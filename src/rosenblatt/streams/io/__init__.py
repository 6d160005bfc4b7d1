"""Files, pipes, archives and addresses, read in chunks ahead of the parser."""

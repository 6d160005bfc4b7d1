"""Files, pipes, archives and URLs, read in chunks ahead of the parser."""

"""Source text of scorers: what the files of programs have in common."""

"""Tables of papers and programs, one script each: python bench/run_tables.py."""

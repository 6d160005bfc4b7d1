"""Writers of streams: svmlight text, Vowpal Wabbit text, tables, Parquet and Arrow files."""

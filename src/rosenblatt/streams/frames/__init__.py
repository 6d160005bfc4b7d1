"""Raw rows in memory, read as the command reads files: tables, objects and texts.

:class:`rosenblatt.streams.frames.reader.RowReader` turns rows of pandas, polars, pyarrow, NumPy,
dicts and texts into matrices, through the encoders of :mod:`rosenblatt.streams.features`. No module
here imports pandas or polars: a table of theirs shows that they are there.
"""

"""Building blocks of every stream: batches, options, errors, bad rows."""

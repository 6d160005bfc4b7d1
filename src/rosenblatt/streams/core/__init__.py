"""What every stream is made of: batches, options, errors, bad rows."""

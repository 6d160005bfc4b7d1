"""The search for certificates. Nothing here needs to be trusted: the verifier checks it."""

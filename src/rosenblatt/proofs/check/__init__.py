"""The verifier: the code that must be trusted."""

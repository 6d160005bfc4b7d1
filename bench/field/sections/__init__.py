"""The sections of the page docs/accuracy.md."""

"""Models in other languages: the plan of how a model scores a raw row, and the formats of files."""

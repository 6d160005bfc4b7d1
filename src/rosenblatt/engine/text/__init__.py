"""Compiled parsers: decimals, hashes, svmlight, Vowpal Wabbit and delimited text."""

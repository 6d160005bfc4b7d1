"""Subcommands, one file each: options, help and output."""

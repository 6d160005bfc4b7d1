"""Options that subcommands share, and their values as records."""

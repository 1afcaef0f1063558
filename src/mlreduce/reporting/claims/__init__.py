"""Claims of the papers as checks on a study's results."""

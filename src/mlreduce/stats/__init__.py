"""Statistics of comparisons: ranks, tests, posteriors and combinations of evidence."""

"""A model for multi-label data in one call: candidates, a search within a time, a stack, and what came of it."""

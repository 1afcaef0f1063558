"""Splits, measures, and the one loop that fits, predicts and scores."""

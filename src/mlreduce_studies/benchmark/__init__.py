"""The benchmark: its protocol, folds, costs, and the pieces in which its scores are stored."""

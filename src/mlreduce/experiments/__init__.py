"""Study files, splits, seeds, parameter search, and the loops that fit, predict and score."""

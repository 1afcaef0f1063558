"""One procedure for verdicts: probabilities within a data set, their combination, and tests over data sets."""

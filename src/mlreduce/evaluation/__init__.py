"""Evaluation of methods: splits, parameter search, the loop that fits, predicts and scores, and `mlreduce.compare`."""

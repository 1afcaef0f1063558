"""The leaderboard: methods that anyone enters, run by the protocol of the benchmark on six small data sets."""

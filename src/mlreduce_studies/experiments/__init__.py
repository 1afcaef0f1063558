"""What some studies measure besides scores: seconds, costs, approximations and proximities."""

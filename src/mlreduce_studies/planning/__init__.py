"""What the workflow runs: the plan of a run, its jobs and what they need, the files that they make, and reruns."""

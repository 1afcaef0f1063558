"""From the tables of jobs to the tables of a study, with what failed."""

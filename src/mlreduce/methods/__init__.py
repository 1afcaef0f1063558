"""What is known of the methods: a table of their facts, a description of each, and which of them suit a data set."""

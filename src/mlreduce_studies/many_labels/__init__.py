"""The study of reduction with thousands of labels: comparisons/many-labels, workflow/rules/many_labels.smk."""

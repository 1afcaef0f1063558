"""Graphs over instances and labels: neighbours, similarities, proximities and their combination."""

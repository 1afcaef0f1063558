"""Readers of published and users' files."""

"""Embeddings of the training instances themselves, without a projection for others."""

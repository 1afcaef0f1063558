"""What results were made of and with: digests of code, manifests, verification."""

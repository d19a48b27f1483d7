"""The published task files of the original battery: digests, where they are kept, how they are fetched."""

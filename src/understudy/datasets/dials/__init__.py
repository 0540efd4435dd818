"""Items for live models: codes to reconstruct, and single dials."""

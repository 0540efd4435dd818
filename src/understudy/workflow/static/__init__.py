"""Studies that run from a static host."""

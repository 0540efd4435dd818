"""Small pictures and curves."""

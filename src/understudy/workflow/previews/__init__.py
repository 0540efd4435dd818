"""Previews: the pages that a simulated person met in each condition."""

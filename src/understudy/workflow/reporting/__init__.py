"""Reports: the findings of a run, and everything next to them."""

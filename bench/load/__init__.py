"""Load: people made of code, who walk through a study over HTTP from a process of their own (no packages needed)."""

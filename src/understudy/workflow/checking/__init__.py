"""Everything `understudy check` looks at, beyond the form of a study file."""

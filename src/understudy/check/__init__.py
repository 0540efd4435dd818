"""Check: every fault of a study; `study_check` lists the rules."""

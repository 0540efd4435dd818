"""Pages that compare the results of a study with those a paper printed."""

"""Actions: what researchers do with studies and runs, a chapter for each."""

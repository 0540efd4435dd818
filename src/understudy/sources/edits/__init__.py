"""Edits: changed versions of a case, of its values or its words, for stimuli and for explanations."""

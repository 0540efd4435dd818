"""The annotators' side: texts to code, and codes to settle."""

"""Annotation of runs on disk: status, import and export of codes, and simulated annotators."""

"""Workflow: what a command does, from a study file to a report."""

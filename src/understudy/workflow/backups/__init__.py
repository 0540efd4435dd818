"""Backups of runs, taken while they are served."""

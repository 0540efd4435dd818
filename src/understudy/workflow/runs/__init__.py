"""Runs on disk: their folders, tables, pilots, desks and registrations."""

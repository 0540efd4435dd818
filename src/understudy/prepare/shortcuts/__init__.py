"""Shortcuts: rules that answer the items of a study without understanding."""

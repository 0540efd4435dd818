"""The functions that a rule over single rows may call; apart from columns.py, which needs pandas."""

ROW_FUNCTIONS = frozenset({"abs", "missing", "round"})

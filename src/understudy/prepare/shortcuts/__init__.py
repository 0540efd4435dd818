"""Shortcuts: rules that answer the items of a study without any understanding, found before anyone is paid."""

from understudy.prepare.shortcuts.audit import Audit, Shortcut, audited

__all__ = ["Audit", "Shortcut", "audited"]

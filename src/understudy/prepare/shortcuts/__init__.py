"""Shortcuts: rules that answer the items of a study without understanding, found before people take part."""

from understudy.prepare.shortcuts.audit import Audit, BestRule, Shortcut, audited

__all__ = ["Audit", "BestRule", "Shortcut", "audited"]

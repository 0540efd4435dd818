"""Monitoring of a live study: who leaves where, what it costs, and when recruitment pauses by itself."""

from understudy.serve.monitor.fold import MonitorFold
from understudy.serve.monitor.view import monitoring_of

__all__ = ["MonitorFold", "monitoring_of"]

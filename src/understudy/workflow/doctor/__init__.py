"""Doctor: is a server ready for hundreds of people? Each check is one line, with one sentence on what to do."""

from understudy.workflow.doctor.examination import Examined, Patient
from understudy.workflow.doctor.machine import machine_checks
from understudy.workflow.doctor.site import site_checks

__all__ = ["Examined", "Patient", "machine_checks", "site_checks"]

"""Pictures without a browser: the front end's scripts run in an embedded engine."""

from understudy.drawing.figures import svg_from_spec
from understudy.drawing.formats import pdf_from_svg, png_from_svg
from understudy.drawing.script_engine import module_trial, script_value
from understudy.drawing.web_files import web_file

__all__ = ["module_trial", "pdf_from_svg", "png_from_svg", "script_value", "svg_from_spec", "web_file"]

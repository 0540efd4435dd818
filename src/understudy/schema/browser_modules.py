"""Browser modules: which file of a study draws which task or kind of explanation that the page does not know itself."""

from understudy.schema.record import Record
from understudy.schema.served_file import FileAddress


class BrowserModules(Record):
    """The ES modules that extensions bring, by what they draw."""

    tasks: dict[str, FileAddress] = {}
    """Task -> the module that draws its page."""
    kinds: dict[str, FileAddress] = {}
    """Kind of explanation -> the module that has its view."""

"""`python -m understudy` is the command line."""

import sys
from pathlib import Path

# Python puts the working folder first, where a `statistics.py` may be somebody's notes.
if sys.path[:1] == [str(Path.cwd())] and not sys.flags.safe_path:
    del sys.path[0]

from understudy.cli.main import run

run()

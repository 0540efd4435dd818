"""`python -m understudy` is the command line."""

from understudy.cli.main import run

run()

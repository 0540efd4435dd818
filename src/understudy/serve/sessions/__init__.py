"""Sessions in memory and in the log, and what their pages send and are shown."""

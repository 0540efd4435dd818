"""Defaults that both the command line shows and the code below it uses, in a module that imports nothing."""

LOW_DISK_GB = 2.0
"""Free space below which researchers are warned: answers need room, and so does a backup."""

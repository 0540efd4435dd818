"""What alerts need everywhere: the free space below which researchers are warned, and what an address looks like."""

import re

LOW_DISK_GB = 2.0
"""Free space below which researchers are warned: answers need room, and so does a backup."""


# What an e-mail address looks like.

E_MAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}")
"""The rule of HTML forms, and at least one dot in the domain."""

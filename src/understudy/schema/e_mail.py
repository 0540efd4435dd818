"""What an e-mail address looks like."""

import re

E_MAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}")
"""The rule of HTML forms, and at least one dot in the domain."""

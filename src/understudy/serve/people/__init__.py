"""The people who come: admission, arrival, ids, and the way back to their recruiter."""

"""Study files: read, written, completed and commented."""

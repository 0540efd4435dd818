"""Published data: downloaded, checked and stored."""

"""Paying: who is owed what, and payments that happen once."""

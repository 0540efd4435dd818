"""Reasons why a study that runs could still not answer its question."""

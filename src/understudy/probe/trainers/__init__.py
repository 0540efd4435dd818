"""Trainers: ways to train the models of a concept test."""

"""Datasets of worlds whose causes are known."""

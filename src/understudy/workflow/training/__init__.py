"""Training decoders and classifiers by their recipes."""

"""Training any model by its recipe, and scoring decoders."""

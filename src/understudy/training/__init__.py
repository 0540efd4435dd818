"""Training: nets, losses, one loop, checkpoints, recipes, and export. Everything that imports torch is here."""

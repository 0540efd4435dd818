"""Interactive reconstruction (Ross et al., CHI 2021)."""

"""Studies after Kim et al. (2022)."""

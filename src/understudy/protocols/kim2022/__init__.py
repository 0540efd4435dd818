"""Studies after Kim et al. (2022): can people tell right predictions from wrong ones?"""

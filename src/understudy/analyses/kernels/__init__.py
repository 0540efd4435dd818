"""Numeric kernels of the analysis catalogue: pure functions over NumPy arrays, tested against R."""

"""Kernels: the renderer's inner loops, compiled by numba. Import them through `compiled` only: numba is an extra."""

"""Kernels: the numbers behind explanations, batched over perturbed rows, in float64."""

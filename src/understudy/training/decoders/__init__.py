"""Generative models: the data they learn from, their nets and losses, training, and export as decoder files.

Modules here need NumPy, and those with nets torch and onnx; none of them needs the records of a study, so that
training runs on any machine that has torch.
"""

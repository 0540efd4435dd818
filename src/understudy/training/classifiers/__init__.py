"""Classifiers: the cases they learn from, their nets, training, export as ONNX files, and the shelf of shipped ones.

Reading cases and running a file need NumPy and onnxruntime; learning needs torch and onnx. Nothing here knows studies.
"""

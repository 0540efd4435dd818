"""Sixt, Schuessler et al. (2022): which attributes does a classifier rely on?"""

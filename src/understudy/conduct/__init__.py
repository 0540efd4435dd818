"""conduct"""

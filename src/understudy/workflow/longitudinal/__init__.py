"""Longitudinal studies: later parts, invitations, and parts joined person by person."""

"""Columns of the log's tables, written the same way in `tables.py` and in the migrations that lead to them.

Migrations that are released use these functions, so what a function makes never changes; a new kind of column gets a new one.
"""

from typing import Any

from sqlalchemy import BigInteger, Column, Integer, Text, UniqueConstraint
from sqlalchemy.schema import SchemaItem


def row_number() -> Column[Any]:
    """Return the key of a table whose rows are numbered in the order in which they come."""
    return Column("number", Integer, primary_key=True)


def texts(*names: str) -> list[Column[Any]]:
    """Return columns of text that every row has."""
    return [Column(name, Text, nullable=False) for name in names]


def key_texts(*names: str) -> list[Column[Any]]:
    """Return the columns of text that are the key of a table."""
    return [Column(name, Text, primary_key=True) for name in names]


def optional_texts(*names: str) -> list[Column[Any]]:
    """Return columns of text that a row may lack."""
    return [Column(name, Text) for name in names]


def counts(*names: str) -> list[Column[Any]]:
    """Return columns of whole numbers that every row has."""
    return [Column(name, Integer, nullable=False) for name in names]


def large_counts(*names: str) -> list[Column[Any]]:
    """Return columns of whole numbers of any size, such as times in milliseconds, that every row has."""
    return [Column(name, BigInteger, nullable=False) for name in names]


def journal(table: str, *names: str) -> list[SchemaItem]:
    """Return the columns of a journal: entries as JSON, numbered by `seq` for each combination of the named texts."""
    unique = UniqueConstraint(*names, "seq", name=f"uq_{table}_key")
    return [row_number(), *texts(*names), *counts("seq"), *texts("body"), unique]

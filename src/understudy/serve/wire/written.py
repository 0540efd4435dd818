"""Written records: messages as JSON; parts that never change are serialised once and inserted."""

from collections.abc import Mapping

from pydantic import BaseModel


def written(record: BaseModel) -> bytes:
    """Write a record as JSON, every default included, so that a page never has to know one."""
    return record.__pydantic_serializer__.to_json(record)


def written_around(
    record: BaseModel,
    parts: Mapping[str, bytes],
    *,
    leaves_out: frozenset[str] = frozenset(),
    leaves_out_none: bool = False,
) -> bytes:
    """Write a record whose named fields are written already.

    Trials and references are the same for everybody and make up most of a state; serialising them for
    each event again would cost more than the rest of the request. The result is the JSON that
    `written` gives, except for the order of the fields.
    """
    head = record.__pydantic_serializer__.to_json(record, exclude={*parts, *leaves_out}, exclude_none=leaves_out_none)
    fields = b",".join(b'"%s":%s' % (name.encode(), part) for name, part in parts.items())
    between = b"," if len(head) > 2 and fields else b""
    return b"%s%s%s}" % (head[:-1], between, fields)


def written_list(parts: list[bytes]) -> bytes:
    """Write a list whose members are written already."""
    return b"[%s]" % b",".join(parts)

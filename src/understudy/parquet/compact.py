"""Thrift's compact protocol, in which Parquet writes its headers: just the types that they use."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

Decoded: TypeAlias = "int | bytes | list[Decoded] | dict[int, Decoded]"


class Encoded(NamedTuple):
    """A value with the number of its type."""

    type: int
    content: bytes


_TRUE, _FALSE, _I32, _I64, _BINARY, _LIST, _STRUCT = 1, 2, 5, 6, 8, 9, 12


def varint(value: int) -> bytes:
    """Return a number from 0 in as few bytes as it needs."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def i32(value: int) -> Encoded:
    """Return a small whole number from 0."""
    return Encoded(_I32, varint(value << 1))


def i64(value: int) -> Encoded:
    """Return a whole number from 0."""
    return Encoded(_I64, varint(value << 1))


def text(value: str) -> Encoded:
    """Return a text."""
    content = value.encode()
    return Encoded(_BINARY, varint(len(content)) + content)


def listing(items: Sequence[Encoded]) -> Encoded:
    """Return a list of values of one type, at least one."""
    size = (
        bytes([len(items) << 4 | items[0].type])
        if len(items) < 15
        else bytes([0xF0 | items[0].type]) + varint(len(items))
    )
    return Encoded(_LIST, size + b"".join(item.content for item in items))


def struct(fields: Mapping[int, Encoded]) -> Encoded:
    """Return a record of numbered fields, in the order of their numbers."""
    written, before = bytearray(), 0
    for number, field in sorted(fields.items()):
        written.append((number - before) << 4 | field.type)
        written += field.content
        before = number
    return Encoded(_STRUCT, bytes(written) + b"\0")


class CompactReader:
    """Reads values one after the other."""

    def __init__(self, content: bytes, position: int = 0) -> None:
        self.position = position
        self._content = content

    def struct(self) -> dict[int, Decoded]:
        """Read a record as its fields by number."""
        fields: dict[int, Decoded] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            fields[number] = self._value(head & 0x0F)
        return fields

    def _value(self, kind: int) -> Decoded:
        if kind in (_TRUE, _FALSE):
            return int(kind == _TRUE)
        if kind in (_I32, _I64):
            return self._whole()
        if kind == _BINARY:
            size = self._varint()
            self.position += size
            return self._content[self.position - size : self.position]
        if kind == _LIST:
            head = self._byte()
            size = self._varint() if head >> 4 == 0x0F else head >> 4
            if size > len(self._content) - self.position:
                raise IndexError("a list is longer than the rest of the file")
            return [self._value(head & 0x0F) for _ in range(size)]
        if kind == _STRUCT:
            return self.struct()
        raise ValueError(f"a header has a value of type {kind}, which is not expected in it")

    def _byte(self) -> int:
        self.position += 1
        return self._content[self.position - 1]

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
        return value | byte << shift

    def _whole(self) -> int:
        zigzag = self._varint()
        return zigzag >> 1 ^ -(zigzag & 1)

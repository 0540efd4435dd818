"""Seen pictures: the files that an explanation shows, for simulated people who look at pictures."""

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path

from understudy.schema import Explanation, Trial, files_named_in


class SeenPictures(Mapping[str, bytes]):
    """Content address -> the bytes of a picture that a page explains something with, in reading order.

    Nothing is looked up before somebody looks, since this is made for every trial of every simulated study.
    """

    def __init__(self, explanation: Explanation | None, files: Mapping[str, Path | bytes]) -> None:
        self._explanation, self._files = explanation, files

    def __getitem__(self, address: str) -> bytes:
        """Read a picture."""
        if address not in self._addresses:
            raise KeyError(address)
        source = self._files[address]
        return source if isinstance(source, bytes) else _read(source)

    def __iter__(self) -> Iterator[str]:
        """Go through the addresses as the explanation names them."""
        return iter(self._addresses)

    def __len__(self) -> int:
        """Count the pictures."""
        return len(self._addresses)

    @cached_property
    def _addresses(self) -> dict[str, None]:
        if self._explanation is None:
            return {}
        return dict.fromkeys(files_named_in(self._explanation, self._files.keys()))


def pictures_of(trial: Trial, files: Mapping[str, Path | bytes]) -> SeenPictures:
    """Return the pictures that the explanation of a trial shows; files of other pages are not among them."""
    return SeenPictures(trial.explanation, files)


# Files are named by their content, so that what was read once stays true.
@lru_cache(maxsize=512)
def _read(source: Path) -> bytes:
    return source.read_bytes()

"""Bytes of a connection as the JSON objects of its lines."""

import json
from typing import Any, Dict, Iterator, List, Tuple

from ._errors import BrigError

#: Digits of 2^53 - 1; more would take long to read, and Brig sends none.
_DIGITS_MAX = 17


class LineReader:
    """Cuts bytes into objects, however they were split on their way. What is too long or no object is a failure."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._pieces: List[bytes] = []
        self._bytes = 0

    def read(self, piece: bytes) -> Iterator[Tuple[Dict[str, Any], int]]:
        """The objects that are complete with this piece, each with the length of its line."""
        begin = 0
        end = piece.find(b"\n")
        while end >= 0:
            self._keep(piece[begin : end + 1])
            begin = end + 1
            line = b"".join(self._pieces)
            self._pieces = []
            self._bytes = 0
            if line.strip(b"\r\n"):
                yield parse(line), len(line)
            end = piece.find(b"\n", begin)
        self._keep(piece[begin:])

    def _keep(self, piece: bytes) -> None:
        self._bytes += len(piece)
        if self._bytes > self._bytes_max:
            raise BrigError("PROTOCOL_VIOLATION", f"Brig sent a line of more than {self._bytes_max} bytes")
        if piece:
            self._pieces.append(piece)


def parse(line: bytes) -> Dict[str, Any]:
    """One JSON object."""
    try:
        value = json.loads(line.decode("utf-8"), parse_int=_whole, parse_constant=_refuse)
    except (ValueError, RecursionError) as cause:
        raise BrigError("PROTOCOL_VIOLATION", "Brig sent a line that is not JSON in UTF-8") from cause
    if not isinstance(value, dict):
        raise BrigError("PROTOCOL_VIOLATION", "Brig sent a line that is no JSON object")
    return value


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS_MAX:
        raise ValueError("a number that is too long")
    return int(digits)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")

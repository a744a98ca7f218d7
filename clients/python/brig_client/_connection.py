"""One connection to a session, and single requests."""

import asyncio
import json
from collections import deque
from typing import Any, Deque, Dict, Optional

from ._dial import Address, Stream
from ._errors import BrigError
from ._lines import LineReader

FRAME_BYTES_MAX = 65_536
ANSWER_BYTES_MAX = 1_048_576


class Connection:
    """Says hello, tells lines, and sorts what comes into answers and messages.

    Brig works off lines in order and answers only a refusal, or `ping`. So behind each line goes a `ping`: an error
    before its `pong` is that line's, and a `pong` alone says that Brig has taken it. What becomes of an answer to an ask
    names the ask.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._lines = LineReader(FRAME_BYTES_MAX)
        self._told: Deque["asyncio.Future[None]"] = deque()
        self._refusal: Optional[BrigError] = None
        self._asks: Dict[str, "asyncio.Future[None]"] = {}
        self._early: Deque[Any] = deque()
        self._fault: Optional[BrigError] = None

    @staticmethod
    async def open(address: Address, hello: Dict[str, Any]) -> "tuple[Connection, Dict[str, Any]]":
        """A connection that Brig has let in, and its line `authenticated`."""
        connection = Connection(await address.dial())
        try:
            connection._write(hello)
            return connection, await connection._welcome()
        except BaseException:
            connection.close()
            raise

    async def _welcome(self) -> Dict[str, Any]:
        while not self._early:
            await self._fill()
        line, _ = self._early.popleft()
        if line.get("type") == "authenticated":
            return line
        if "error" in line:
            raise BrigError.of(line)
        raise BrigError("PROTOCOL_VIOLATION", "Brig did not begin with authenticated")

    @property
    def is_waiting(self) -> bool:
        """Whether Brig owes an answer."""
        return bool(self._asks) or any(not taken.done() for taken in self._told)

    async def tell(self, line: Dict[str, Any]) -> None:
        """Sends a line. CONNECTION_LOST says that nobody knows whether it arrived."""
        taken: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
        ask_id = line.get("ask_id")
        if ask_id is not None:
            if ask_id in self._asks:
                raise BrigError("INVALID_FIELD", f"{ask_id} is being answered already")
            self._asks[ask_id] = taken
            self._write(line)
        else:
            self._told.append(taken)
            self._write(line, {"action": "ping"})
        try:
            await taken
        finally:
            if ask_id is not None:
                self._asks.pop(ask_id, None)

    async def message(self) -> "tuple[Dict[str, Any], int]":
        """What comes next beside answers, with its length."""
        while True:
            while self._early:
                line, length = self._early.popleft()
                if not self._settle(line):
                    return line, length
            await self._fill()

    async def _fill(self) -> None:
        if self._fault is not None:
            raise self._fault
        piece = await self._stream.read()
        if not piece:
            raise BrigError("CONNECTION_LOST", "the connection to the session was lost")
        try:
            self._early.extend(self._lines.read(piece))
        except BrigError as fault:
            # Whole lines before it count.
            self._fault = fault

    def _settle(self, line: Dict[str, Any]) -> bool:
        """Whether a line is an answer to something that was told."""
        is_numbered = line.get("seq") is not None
        is_error = line.get("type") == "error" and not is_numbered
        if line.get("type") == "pong":
            self._settle_oldest()
        elif not is_numbered and isinstance(line.get("ask_id"), str) and line["ask_id"] in self._asks:
            taken = self._asks.pop(line["ask_id"])
            _end(taken, BrigError.of(line) if is_error else None)
        elif is_error and "from" in line:
            raise BrigError("CONNECTION_LOST", str(line.get("error"))) from BrigError.of(line)
        elif is_error and self._told and line.get("code") != "RECORD_LOST":
            self._refusal = self._refusal or BrigError.of(line)
        else:
            return False
        return True

    def _settle_oldest(self) -> None:
        if self._told:
            _end(self._told.popleft(), self._refusal)
        self._refusal = None

    def _write(self, *lines: Dict[str, Any]) -> None:
        self._stream.write(b"".join(encode(line) for line in lines))

    def close(self) -> None:
        """Ends it; what was told and not answered is lost."""
        self._stream.close()
        lost = BrigError("CONNECTION_LOST", "the connection to the session was lost")
        for taken in [*self._told, *self._asks.values()]:
            _end(taken, lost)
        self._told.clear()


async def ask(address: Address, request: Dict[str, Any], bytes_max: int = ANSWER_BYTES_MAX) -> Dict[str, Any]:
    """One request on the spawner socket, and its answer."""
    stream = await address.dial()
    try:
        stream.write(encode(request))
        lines = LineReader(bytes_max)
        while True:
            piece = await stream.read()
            if not piece:
                raise BrigError("CONNECTION_LOST", "the connection was closed before it was answered")
            for answer, _ in lines.read(piece):
                if "error" in answer:
                    raise BrigError.of(answer)
                return answer
    finally:
        stream.close()


def encode(line: Dict[str, Any]) -> bytes:
    """A line of JSON. What is None is left out."""
    present = {name: value for name, value in line.items() if value is not None}
    try:
        return json.dumps(present, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8") + b"\n"
    except (TypeError, ValueError) as cause:
        raise BrigError("INVALID_FIELD", f"that cannot be sent as JSON: {cause}") from cause


def _end(taken: "asyncio.Future[None]", failure: Optional[BrigError]) -> None:
    if taken.done():
        return
    if failure is None:
        taken.set_result(None)
    else:
        taken.set_exception(failure)

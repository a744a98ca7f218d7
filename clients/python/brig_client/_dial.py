"""Connections to a gateway: over its Unix socket, or over HTTP."""

import asyncio
import os
import random
import re
import ssl
from typing import Awaitable, Callable, NamedTuple, Optional, Tuple, TypeVar
from urllib.parse import urlsplit

from ._errors import BrigError
from ._lines import parse

_HEAD_BYTES_MAX = 16_384
_BODY_BYTES_MAX = 65_536
_PIECE_BYTES = 65_536
_PAUSE_MIN = 0.01
_PAUSE_MAX = 1.0
#: Answers of a reverse proxy whose gateway is being started.
_PASSING_STATUSES = {502, 503, 504}
_T = TypeVar("_T")


class Stream:
    """The two directions of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def read(self) -> bytes:
        """What came; nothing at the end."""
        try:
            return await self._reader.read(_PIECE_BYTES)
        except OSError:
            return b""

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    def close(self) -> None:
        self._writer.transport.abort()


class Address(NamedTuple):
    """Where a gateway is: the path of its spawner socket, or a URL and a token."""

    path: Optional[str] = None
    host: str = ""
    port: int = 0
    base: str = ""
    token: str = ""
    tls: Optional[ssl.SSLContext] = None

    @staticmethod
    def of(where: Optional[str], token: Optional[str], tls: Optional[ssl.SSLContext]) -> "Address":
        if where is None:
            return Address(path=default_spawner_socket())
        if not re.match(r"https?://", where):
            return Address(path=where)
        url = urlsplit(where)
        if not url.hostname or not re.fullmatch(r"[A-Za-z0-9._:-]+", url.hostname) or not token:
            raise BrigError("INVALID_FIELD", "a gateway over HTTP is http://HOST:PORT, and needs a token")
        if not re.fullmatch(r"[A-Za-z0-9._~-]+", token) or not re.fullmatch(r"[A-Za-z0-9._~/%-]*", url.path):
            raise BrigError("INVALID_FIELD", "the token, or the path of the URL, has characters that none has")
        is_tls = url.scheme == "https"
        context = (tls or ssl.create_default_context()) if is_tls else None
        return Address(None, url.hostname, url.port or (443 if is_tls else 80), url.path.rstrip("/"), token, context)

    async def dial(self) -> Stream:
        """A connection on which the lines of the spawner socket are spoken."""
        where = self.path or f"{self.host}:{self.port}"
        try:
            if self.path is not None:
                return Stream(*await asyncio.open_unix_connection(self.path))
            pair = await asyncio.open_connection(self.host, self.port, ssl=self.tls)
        except OSError as cause:
            raise BrigError("CONNECTION_FAILED", f"cannot connect to {where}: {cause.strerror or cause}") from cause
        stream = Stream(*pair)
        try:
            await self._upgrade(*pair)
        except BaseException:
            stream.close()
            raise
        return stream

    async def _upgrade(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """`GET /api/v1/spawner`: from its 101 on the connection is one to the spawner socket."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        writer.write(
            (
                f"GET {self.base}/api/v1/spawner HTTP/1.1\r\nHost: {host}:{self.port}\r\nConnection: Upgrade\r\n"
                f"Upgrade: brig.spawner.v1\r\nAuthorization: Bearer {self.token}\r\n\r\n"
            ).encode("ascii")
        )
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as cause:
            raise BrigError("CONNECTION_LOST", "the connection was closed before it was upgraded") from cause
        except asyncio.LimitOverrunError as cause:
            raise BrigError("PROTOCOL_VIOLATION", "an answer over HTTP whose head does not end") from cause
        except OSError as cause:
            raise BrigError("CONNECTION_LOST", "the connection broke before it was upgraded") from cause
        status, length = _read_head(head)
        if status != 101:
            raise await _problem(reader, status, length)


def _read_head(head: bytes) -> Tuple[int, int]:
    """The status, and the length of the body."""
    found = re.match(rb"HTTP/1\.[01] (\d{3})[ \r]", head)
    if not found or len(head) > _HEAD_BYTES_MAX:
        raise BrigError("PROTOCOL_VIOLATION", "what answered does not speak HTTP/1.1")
    length = re.search(rb"\r\ncontent-length: *(\d{1,9})\r\n", head, re.IGNORECASE)
    return int(found[1]), int(length[1]) if length else 0


async def _problem(reader: asyncio.StreamReader, status: int, length: int) -> BrigError:
    """What a refusal over HTTP says; what is not Brig's own has the status alone."""
    try:
        if 0 < length <= _BODY_BYTES_MAX:
            problem = parse(await reader.readexactly(length))
            if isinstance(problem.get("code"), str):
                return BrigError.of(problem)
    except (asyncio.IncompleteReadError, OSError, BrigError):
        pass
    retry = 1 if status in _PASSING_STATUSES else None
    return BrigError("CONNECTION_FAILED", f"the answer is HTTP {status}, not 101", retry_after_seconds=retry)


async def within(seconds: float, what: str, work: Awaitable[_T]) -> _T:
    """Gives something up that takes too long."""
    try:
        return await asyncio.wait_for(work, seconds)
    except asyncio.TimeoutError as cause:
        raise BrigError("TIMEOUT", f"{what} took longer than {seconds:g} s") from cause


async def persist(run: Callable[[], Awaitable[_T]], may_pass: Callable[[BrigError], bool]) -> _T:
    """Tries until it works or fails for good; in between it waits as long as Brig says, else longer each time."""
    pause = _PAUSE_MIN
    while True:
        try:
            return await run()
        except BrigError as failure:
            if not may_pass(failure):
                raise
            await asyncio.sleep(failure.retry_after_seconds or pause * random.uniform(0.5, 1))
            pause = min(2 * pause, _PAUSE_MAX)


def default_spawner_socket() -> str:
    """Where Brig listens unless its configuration says otherwise."""
    if os.getuid() == 0:
        return "/run/agent-spawner/spawner.sock"
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    return f"{runtime}/brig/spawner.sock" if runtime.startswith("/") else f"/tmp/brig-{os.getuid()}/spawner.sock"

"""A session, for asyncio."""

import asyncio
import re
import uuid
from collections import deque
from typing import Any, Deque, Dict, List, NamedTuple, Optional, Tuple

from ._connection import Connection, ask
from ._dial import Address, persist, within
from ._errors import BrigError
from ._position import Position, Progress
from ._types import Frame, Timeouts

#: Beyond `buffer_bytes`, while an answer is due: it stands behind no more than what Brig has queued.
_BEHIND_BYTES_MAX = 64 * 1_048_576
_ASK_ID = re.compile(r"ask_[0-9a-z]{24}")


class Options(NamedTuple):
    """How a session is followed."""

    address: Address
    timeouts: Timeouts
    buffer_bytes: int
    max_latency_ms: Optional[int]
    role: Optional[str] = None


class AsyncSession:
    """An agent at work, and what it says: an async iterator of frames.

    Each frame comes once and in order, over any number of lost connections and restarts of the gateway. Frames that are
    gone come as a `gap`. While more than `buffer_bytes` wait for their reader, Brig holds the agent back.

        async with await brig.start("claude", "Make the tests pass.") as session:
            async for frame in session:
                if frame["type"] == "chunk":
                    print(frame["content"], end="")
                elif frame["type"] == "done":
                    break
    """

    def __init__(self, place: Dict[str, Any], options: Options, position: Position) -> None:
        self.spawn_id: str = place["spawn_id"]
        self.task_id: str = place["task_id"]
        #: The folder that it works in, where this client started it.
        self.workspace: Optional[str] = place.get("workspace")
        #: The newest `done` that was received.
        self.last_done: Optional[Frame] = None
        self._options = options
        self._progress = Progress(position)
        self._read = position
        self._connection: Optional[Connection] = None
        self._is_over = False
        self._failure: Optional[BrigError] = None
        self._queue: Deque[Any] = deque()
        self._queued_bytes = 0
        self._changed = asyncio.Condition()
        self._opened: "asyncio.Future[None]" = asyncio.get_running_loop().create_future()
        self._task = asyncio.ensure_future(self._follow())

    async def _open(self) -> "AsyncSession":
        try:
            await asyncio.shield(self._opened)
        except BaseException:
            await self.close()
            raise
        return self

    @property
    def position(self) -> Position:
        """Behind the last frame that was taken from here: give it to `attach` to go on in another process."""
        return self._read

    @property
    def is_terminated(self) -> bool:
        """Whether the last frame, `state terminated`, was received."""
        return self._progress.is_at_end

    def __aiter__(self) -> "AsyncSession":
        return self

    async def __anext__(self) -> Frame:
        taken = await self._take(1)
        if not taken:
            raise StopAsyncIteration
        frame, self._read = taken[0]
        return frame

    async def __aenter__(self) -> "AsyncSession":
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends the session where this client is its captain, and forgets what was not read."""
        try:
            if self._options.role is None:
                await self.terminate()
        finally:
            await self.close()

    async def send(self, content: str) -> None:
        """Sends a user message; returns when Brig has taken it.

        Where the connection is lost before that is known, it is sent again under its `message_id`, under which Brig takes
        it once. TIMEOUT means that nobody knows whether it arrived.
        """
        message = {"role": "user", "content": content, "message_id": str(uuid.uuid4())}
        while True:
            try:
                return await self._tell(message)
            except BrigError as failure:
                if failure.code != "CONNECTION_LOST":
                    raise

    async def answer(self, ask_id: str, option: Optional[str] = None, *, text: Optional[str] = None) -> None:
        """Answers an ask of this session, or of one that works for it: with the id of an option, or a text.

        The first answer counts: ASK_SETTLED where somebody else, the deadline or the agent was faster. After
        CONNECTION_LOST the frame `answered` says what became of it.
        """
        await self._tell({"action": "answer_ask", **choice(ask_id, option, text, "ask_id")})

    async def cancel(self) -> None:
        """Interrupts the message that is being worked off; its `done` still comes."""
        await self._tell({"action": "cancel"})

    async def terminate(self) -> None:
        """Ends the session; its last frames still come."""
        if self.is_terminated:
            return
        try:
            await self._tell({"action": "terminate"})
        except BrigError:
            if not self.is_terminated:
                request = {"action": "terminate", "id": self.spawn_id}
                await within(self._options.timeouts.answer, "terminating", ask(self._options.address, request))

    async def close(self) -> None:
        """Leaves; the agent goes on."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self._queue.clear()
        await self._end(None)

    async def text(self) -> str:
        """Reads up to the next `done`, and returns what the agent itself said until then.

        Failures have the `text` so far: MESSAGE_FAILED or the agent's own code, FRAMES_LOST, SESSION_ENDED.
        """
        heard = Hearing()
        async for frame in self:
            if heard.hear(frame):
                return heard.text
        raise heard.ended(self.spawn_id)

    async def _take(self, frames_max: int) -> List[Tuple[Frame, Position]]:
        """The next frames with the positions behind them, at least one; none at the end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._queue or self._is_over)
            taken: List[Tuple[Frame, Position]] = []
            while self._queue and len(taken) < frames_max:
                frame, length, position = self._queue.popleft()
                self._queued_bytes -= length
                taken.append((frame, position))
            self._changed.notify_all()
        if not taken and self._failure is not None:
            raise self._failure
        return taken

    async def _tell(self, line: Dict[str, Any]) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._connection is not None or self._is_over)
            connection = self._connection
        if self._is_over or connection is None:
            raise BrigError("SESSION_ENDED", "the session is over", spawn_id=self.spawn_id)
        told = asyncio.ensure_future(connection.tell(line))
        async with self._changed:
            self._changed.notify_all()
        await within(self._options.timeouts.answer, "waiting for Brig to take a message", told)

    async def _follow(self) -> None:
        """Reads from one connection after the other, until the end or a failure."""
        seconds, what = self._options.timeouts.ready, "connecting to the session"
        try:
            while not self._progress.is_at_end:
                connection = await within(seconds, what, persist(self._connect, lambda failure: failure.is_passing))
                seconds, what = self._options.timeouts.reconnect, "connecting again"
                try:
                    await self._set(connection)
                    await self._read_all(connection)
                except BrigError as failure:
                    if failure.code != "CONNECTION_LOST":
                        raise
                finally:
                    connection.close()
                    await self._set(None)
            await self._end(None)
        except BrigError as failure:
            await self._end(failure)

    async def _connect(self) -> Connection:
        options = self._options
        hello = {
            "action": "attach",
            "id": self.spawn_id,
            "from": self._progress.next,
            "max_latency_ms": options.max_latency_ms,
            "role": options.role,
        }
        connection, welcome = await Connection.open(options.address, hello)
        try:
            gap = self._progress.enter(welcome)
            if gap is not None:
                await self._put(gap, 0)
            if welcome["from"] > self._progress.next:
                raise BrigError("CONNECTION_LOST", "the stream begins anew")
            return connection
        except BaseException:
            connection.close()
            raise

    async def _set(self, connection: Optional[Connection]) -> None:
        async with self._changed:
            self._connection = connection
            self._changed.notify_all()
        if connection is not None and not self._opened.done():
            self._opened.set_result(None)

    async def _read_all(self, connection: Connection) -> None:
        while not self._progress.is_at_end:
            async with self._changed:
                await self._changed.wait_for(
                    lambda: connection.is_waiting or self._queued_bytes <= self._options.buffer_bytes
                )
            if self._queued_bytes > self._options.buffer_bytes + _BEHIND_BYTES_MAX:
                raise BrigError("PROTOCOL_VIOLATION", "Brig sends on and on, and does not answer")
            message, length = await connection.message()
            if self._progress.admit(message):
                await self._put(message, length)

    async def _put(self, message: Dict[str, Any], length: int) -> None:
        async with self._changed:
            if message.get("type") == "done" and "seq" in message:
                self.last_done = message  # type: ignore[assignment]
            self._queue.append((message, length, Position(self._progress.epoch, self._progress.next)))
            self._queued_bytes += length
            self._changed.notify_all()

    async def _end(self, failure: Optional[BrigError]) -> None:
        async with self._changed:
            if not self._is_over:
                self._is_over = True
                self._failure = failure
            self._changed.notify_all()
        if not self._opened.done():
            self._opened.set_exception(failure or BrigError("SESSION_ENDED", "the session is over"))
            self._opened.exception()


def choice(ask_id: str, option: Optional[str], text: Optional[str], name: str) -> Dict[str, Any]:
    """The fields of an answer to an ask."""
    if not isinstance(ask_id, str) or not _ASK_ID.fullmatch(ask_id):
        raise BrigError("INVALID_FIELD", "an ask_id is ask_ and 24 characters 0-9 a-z")
    if (option is None) == (text is None):
        raise BrigError("INVALID_FIELD", "an answer is the id of an option, or a text")
    return {name: ask_id, "option": option, "text": text}


class Hearing:
    """What the agent itself says, up to the next `done`."""

    def __init__(self) -> None:
        self._words: List[str] = []
        self._trouble: Optional[Frame] = None

    @property
    def text(self) -> str:
        return "".join(self._words)

    def hear(self, frame: Frame) -> bool:
        """Whether the message was worked off; otherwise more comes."""
        kind = frame.get("type")
        if kind == "chunk" and _is_own_word(frame):
            self._words.append(str(frame.get("content", "")))
        elif kind == "error" and "seq" in frame and frame.get("retrying") is not True:
            self._trouble = frame
        elif kind == "gap":
            gone = f"frames {frame.get('from')} to {frame.get('to')} are gone: {frame.get('reason')}"
            raise BrigError("FRAMES_LOST", gone, text=self.text)
        elif kind == "done" and frame.get("reason") is not None:
            code, why = "MESSAGE_FAILED", str(frame.get("reason"))
            if self._trouble is not None:
                code, why = str(self._trouble.get("code")), str(self._trouble.get("error"))
            raise BrigError(code, why, text=self.text)
        return kind == "done"

    def ended(self, spawn_id: str) -> BrigError:
        """The failure where nothing more comes."""
        why = "the session ended before the message was worked off"
        return BrigError("SESSION_ENDED", why, spawn_id=spawn_id, text=self.text)


def _is_own_word(frame: Frame) -> bool:
    """What the agent itself says: not what a tool writes, a sub-agent says, or the program says about itself."""
    return frame.get("stream") in ("text", "stdout") and "tool" not in frame and "agent" not in frame

"""A gateway, for asyncio."""

import asyncio
import ssl
import uuid
from typing import Any, Dict, List, Optional, Set

from ._connection import ANSWER_BYTES_MAX, ask
from ._dial import Address, persist, within
from ._errors import BrigError
from ._position import Position
from ._session import AsyncSession, Options, choice
from ._types import Ask, Timeouts

#: A list has up to 64 asks of each session, with up to 17 KiB each.
_LIST_BYTES_MAX = 16 * 1_048_576
#: How long an answer is waited for that nobody wants any more.
_LATE_SECONDS = 30
_CLOSE_SECONDS = 30


class AsyncBrig:
    """Starts sessions and goes on with them.

        brig = AsyncBrig()                                              # the Unix socket of this user
        brig = AsyncBrig("http://127.0.0.1:7070", token="brig_…")       # HTTP; https:// with a certificate

    `where` is the path of the spawner socket, or a URL. `max_latency_ms` takes text merged (0 to 1000): small chunks that
    come within so many milliseconds come as one, with the first of their numbers in `from`. `buffer_bytes` is how much may
    wait for its reader before Brig holds the agent back.
    """

    def __init__(
        self,
        where: Optional[str] = None,
        *,
        token: Optional[str] = None,
        tls: Optional[ssl.SSLContext] = None,
        max_latency_ms: Optional[int] = None,
        buffer_bytes: int = 1_048_576,
        timeouts: Timeouts = Timeouts(),
    ) -> None:
        self._address = Address.of(where, token, tls)
        self._options = Options(self._address, timeouts, buffer_bytes, max_latency_ms)
        self._late: Set["asyncio.Future[Any]"] = set()

    async def __aenter__(self) -> "AsyncBrig":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Waits a little for sessions that are being ended, as nobody got them. Others go on."""
        if self._late:
            await asyncio.wait(self._late, timeout=_CLOSE_SECONDS)

    async def start(
        self,
        agent: str,
        prompt: Optional[str] = None,
        *,
        request_id: Optional[str] = None,
        task_id: Optional[str] = None,
        model: Optional[str] = None,
        tools: Optional[List[str]] = None,
        system_prompt: Optional[str] = None,
        wait: Optional[int] = None,
        **fields: Any,
    ) -> AsyncSession:
        """Starts a session, connects to it, and sends it the prompt. What fails on the way ends it.

        `request_id` is a UUID: the same request under the same id starts nothing more, and gets the first session. Without
        one, a new one makes it safe to ask again where the answer was lost. `wait` is how many seconds to wait for a
        place. `fields` are the other fields of `spawn` in PROTOCOL.md, section 4.1: `workspace`, `policy`, `once`…

            session = await brig.start("shell", "make test", workspace="/srv/work/shop", once=True)
        """
        config = {"name": agent, "model": model, "tools": tools, "system_prompt": system_prompt}
        request = {
            **fields,
            "action": "spawn",
            "task_id": task_id,
            "agent_config": {name: value for name, value in config.items() if value is not None},
            "request_id": request_id or str(uuid.uuid4()),
            "wait": None if wait is None else f"{wait}s",
        }
        answer = await self._spawn(request, wait or 0)
        session = AsyncSession(answer, self._options, Position())
        try:
            await session._open()
            if prompt is not None:
                await session.send(prompt)
            return session
        except BaseException:
            self._keep(asyncio.ensure_future(self._abandon(answer["spawn_id"])))
            await session.close()
            raise

    async def attach(self, id: str, *, position: Position = Position(), role: Optional[str] = None) -> AsyncSession:
        """Follows a session that somebody started: from its beginning, or from a position.

        `id` is any name of the session. With `role="watcher"` it only reads, and holds nobody back.
        """
        view = await self.status(id)
        return await AsyncSession(view, self._options._replace(role=role), position)._open()

    async def status(self, id: str) -> Dict[str, Any]:
        """The view of one session: `state`, `workspace`, `last_seq`…"""
        return _require(await self.request("status", id=id), "spawn_id", "task_id")

    async def terminate(self, id: str) -> Dict[str, Any]:
        """Ends a session. To end it twice is no failure."""
        return await self.request("terminate", id=id)

    async def asks(self, session: Optional[str] = None) -> List[Ask]:
        """What agents ask now, the ask with the nearest deadline first: of all sessions, or of one and its own."""
        asks = (await self.request("asks", tree=session)).get("asks")
        if not isinstance(asks, list) or not all(isinstance(one, dict) for one in asks):
            raise BrigError("PROTOCOL_VIOLATION", "the answer to asks has no asks")
        return asks  # type: ignore[return-value]

    async def answer(self, ask_id: str, option: Optional[str] = None, *, text: Optional[str] = None) -> None:
        """Answers an ask, with the id of an option or a text. ASK_SETTLED where somebody was faster."""
        await self.request("answer_ask", **choice(ask_id, option, text, "id"))

    async def request(self, action: str, **fields: Any) -> Dict[str, Any]:
        """Any other action of the spawner socket (PROTOCOL.md, section 4.1), and its answer.

            await brig.request("diff", id="fix-tests")
        """
        asked = ask(self._address, {**fields, "action": action}, _LIST_BYTES_MAX)
        return await within(self._options.timeouts.answer, action, asked)

    async def _spawn(self, request: Dict[str, Any], wait: int) -> Dict[str, Any]:
        """Asks again under the same request id where the answer was lost."""
        is_lost = False

        def may_pass(failure: BrigError) -> bool:
            nonlocal is_lost
            is_lost = is_lost or failure.code == "CONNECTION_LOST"
            return is_lost and failure.is_passing and failure.code.startswith("CONNECTION_")

        asked = asyncio.ensure_future(persist(lambda: ask(self._address, request, ANSWER_BYTES_MAX), may_pass))
        try:
            seconds = self._options.timeouts.spawn + wait
            answer = await within(seconds, "the spawn", asyncio.shield(asked))
        except BaseException:
            self._keep(asyncio.ensure_future(self._end_late(asked)))
            raise
        return _require(answer, "spawn_id", "task_id", "workspace")

    async def _end_late(self, asked: "asyncio.Future[Dict[str, Any]]") -> None:
        """Ends a session that came when nobody waited for it any more."""
        try:
            answer = await asyncio.wait_for(asked, _LATE_SECONDS)
        except (BrigError, asyncio.TimeoutError):
            return
        if isinstance(answer.get("spawn_id"), str):
            await self._abandon(answer["spawn_id"])

    async def _abandon(self, spawn_id: str) -> None:
        try:
            await self.terminate(spawn_id)
        except BrigError:
            # The gateway is gone, as the failure says that the caller gets.
            return

    def _keep(self, task: "asyncio.Future[Any]") -> None:
        self._late.add(task)
        task.add_done_callback(self._late.discard)


def _require(answer: Dict[str, Any], *names: str) -> Dict[str, Any]:
    for name in names:
        if not isinstance(answer.get(name), str):
            raise BrigError("PROTOCOL_VIOLATION", f"the answer has no {name}")
    return answer

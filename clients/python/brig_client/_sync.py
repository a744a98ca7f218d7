"""The same without asyncio: calls wait, and may come from any thread. One thread of its own does the work."""

import asyncio
import concurrent.futures
import ssl
import threading
from collections import deque
from typing import Any, Coroutine, Deque, Dict, Iterator, List, Optional, TypeVar

from ._brig import AsyncBrig
from ._position import Position
from ._session import AsyncSession, Hearing
from ._types import Ask, Frame, Timeouts

#: Frames that come over from that thread at once.
_FRAMES_AT_ONCE = 256
_T = TypeVar("_T")


class _Loop:
    """An event loop on a thread that ends with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="brig-client", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise
        except BaseException:
            # Ctrl-C, above all: what was begun ends too.
            future.cancel()
            raise

    @property
    def is_open(self) -> bool:
        return not self._loop.is_closed()

    def close(self) -> None:
        self.run(_cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class Brig:
    """Starts sessions and goes on with them. The arguments are those of `AsyncBrig`.

        with Brig() as brig:
            session = brig.start("claude", "Make the tests pass.")
            for frame in session:
                if frame["type"] == "ask":
                    session.answer(frame["ask_id"], "allow")
                if frame["type"] == "done":
                    break
            session.send("And now the documentation.")
            print(session.text())
            session.terminate()
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
        self._brig = AsyncBrig(
            where, token=token, tls=tls, max_latency_ms=max_latency_ms, buffer_bytes=buffer_bytes, timeouts=timeouts
        )
        self._loop = _Loop()

    def __enter__(self) -> "Brig":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the thread. Sessions that were not ended go on, without this client."""
        if self._loop.is_open:
            self._loop.run(self._brig.close())
            self._loop.close()

    def start(
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
    ) -> "Session":
        """As `AsyncBrig.start`."""
        started = self._brig.start(
            agent,
            prompt,
            request_id=request_id,
            task_id=task_id,
            model=model,
            tools=tools,
            system_prompt=system_prompt,
            wait=wait,
            **fields,
        )
        return Session(self._loop, self._loop.run(started))

    def attach(self, id: str, *, position: Position = Position(), role: Optional[str] = None) -> "Session":
        """As `AsyncBrig.attach`."""
        return Session(self._loop, self._loop.run(self._brig.attach(id, position=position, role=role)))

    def status(self, id: str) -> Dict[str, Any]:
        """As `AsyncBrig.status`."""
        return self._loop.run(self._brig.status(id))

    def terminate(self, id: str) -> Dict[str, Any]:
        """As `AsyncBrig.terminate`."""
        return self._loop.run(self._brig.terminate(id))

    def asks(self, session: Optional[str] = None) -> List[Ask]:
        """As `AsyncBrig.asks`."""
        return self._loop.run(self._brig.asks(session))

    def answer(self, ask_id: str, option: Optional[str] = None, *, text: Optional[str] = None) -> None:
        """As `AsyncBrig.answer`."""
        self._loop.run(self._brig.answer(ask_id, option, text=text))

    def request(self, action: str, **fields: Any) -> Dict[str, Any]:
        """As `AsyncBrig.request`."""
        return self._loop.run(self._brig.request(action, **fields))


class Session:
    """An agent at work, and what it says: an iterator of frames. One thread at a time reads; any may call the rest."""

    def __init__(self, loop: _Loop, session: AsyncSession) -> None:
        self._loop = loop
        self._session = session
        self._frames: Deque[Any] = deque()
        self._position = session.position

    @property
    def spawn_id(self) -> str:
        return self._session.spawn_id

    @property
    def task_id(self) -> str:
        return self._session.task_id

    @property
    def workspace(self) -> Optional[str]:
        return self._session.workspace

    @property
    def last_done(self) -> Optional[Frame]:
        """The newest `done` that was received."""
        return self._session.last_done

    @property
    def position(self) -> Position:
        """Behind the last frame that was taken from here: give it to `attach` to go on in another process."""
        return self._position

    @property
    def is_terminated(self) -> bool:
        """Whether the last frame, `state terminated`, was received."""
        return self._session.is_terminated

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        if not self._frames:
            self._frames.extend(self._loop.run(self._session._take(_FRAMES_AT_ONCE)))
        if not self._frames:
            raise StopIteration
        frame, self._position = self._frames.popleft()
        return frame

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        """As leaving an `AsyncSession`: ends the session where this client is its captain."""
        self._frames.clear()
        self._loop.run(self._session.__aexit__())

    def send(self, content: str) -> None:
        """As `AsyncSession.send`."""
        self._loop.run(self._session.send(content))

    def answer(self, ask_id: str, option: Optional[str] = None, *, text: Optional[str] = None) -> None:
        """As `AsyncSession.answer`."""
        self._loop.run(self._session.answer(ask_id, option, text=text))

    def cancel(self) -> None:
        """As `AsyncSession.cancel`."""
        self._loop.run(self._session.cancel())

    def terminate(self) -> None:
        """As `AsyncSession.terminate`."""
        self._loop.run(self._session.terminate())

    def close(self) -> None:
        """Leaves; the agent goes on."""
        self._frames.clear()
        self._loop.run(self._session.close())

    def text(self) -> str:
        """As `AsyncSession.text`."""
        heard = Hearing()
        for frame in self:
            if heard.hear(frame):
                return heard.text
        raise heard.ended(self.spawn_id)

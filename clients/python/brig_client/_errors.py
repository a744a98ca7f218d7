"""Failures."""

import errno
from typing import Any, Dict, Optional

_PASSING = {errno.ENOENT, errno.ECONNREFUSED, errno.ECONNRESET, errno.EAGAIN, errno.EPIPE}


class BrigError(Exception):
    """A failure with a code that says what to do next.

    Most codes are Brig's own (PROTOCOL.md, section 6). This client adds CONNECTION_FAILED (nothing was asked),
    CONNECTION_LOST (nobody knows whether it arrived), TIMEOUT, PROTOCOL_VIOLATION, FRAMES_LOST and MESSAGE_FAILED.

        try:
            session = brig.start("shell")
        except BrigError as failure:
            if failure.retry_after_seconds is not None:
                ...
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retry_after_seconds: Optional[float] = None,
        state: Optional[str] = None,
        spawn_id: Optional[str] = None,
        ask_id: Optional[str] = None,
        text: Optional[str] = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.retry_after_seconds = retry_after_seconds
        self.state = state
        self.spawn_id = spawn_id
        self.ask_id = ask_id
        #: What `text()` had read.
        self.text = text

    @staticmethod
    def of(line: Dict[str, Any]) -> "BrigError":
        """The error that a line of Brig's, or a problem over HTTP, tells of."""
        retry = line.get("retry_after_seconds")
        return BrigError(
            str(line.get("code") or "INTERNAL"),
            str(line.get("error") or line.get("detail") or ""),
            retry_after_seconds=retry if is_number(retry) and 0 <= retry <= _RETRY_SECONDS_MAX else None,
            state=_text(line, "state"),
            spawn_id=_text(line, "spawn_id"),
            ask_id=_text(line, "ask_id"),
        )

    @property
    def is_passing(self) -> bool:
        """Whether the same may succeed if it is tried again soon."""
        cause = self.__cause__
        return (
            self.retry_after_seconds is not None
            or self.code == "CONNECTION_LOST"
            or (self.code == "CONNECTION_FAILED" and isinstance(cause, OSError) and cause.errno in _PASSING)
        )


#: No gateway says more; a server that does would hold its client for good.
_RETRY_SECONDS_MAX = 3_600


def is_number(value: Any) -> bool:
    """Whether this is a number of JSON; `True` and `False` are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number of JSON."""
    return isinstance(value, int) and not isinstance(value, bool)


def _text(line: Dict[str, Any], name: str) -> Optional[str]:
    value = line.get(name)
    return value if isinstance(value, str) else None

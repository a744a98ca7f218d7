"""What Brig sends, for type checkers. Fields and types that are not here may come at any time."""

from typing import Any, Dict, List, NamedTuple, TypedDict

#: A frame of a stream (it has `seq`), or a message about the connection (it has none): PROTOCOL.md, section 2.
Frame = TypedDict(
    "Frame",
    {
        "type": str,
        "seq": int,
        "ts": int,
        "from": int,
        "to": int,
        "epoch": str,
        "content": str,
        "stream": str,
        "agent": str,
        "tool": str,
        "exit_code": int,
        "signal": str,
        "reason": str,
        "usage": Dict[str, Any],
        "error": str,
        "code": str,
        "retrying": bool,
        "retry_after_seconds": float,
        "state": str,
        "session_id": str,
        "id": str,
        "name": str,
        "kind": str,
        "title": str,
        "status": str,
        "input": Any,
        "output": str,
        "more": bool,
        "agent_id": str,
        "parent_id": str,
        "prompt": str,
        "depth": int,
        "entries": List[Dict[str, str]],
        "message_id": str,
        "ask_id": str,
        "detail": Any,
        "options": List[Dict[str, str]],
        "text": Any,
        "deadline": int,
        "default": str,
        "option": str,
        "by": str,
        "via": str,
        "host": str,
        "port": int,
        "line": str,
    },
    total=False,
)

#: An ask that waits for an answer.
Ask = TypedDict(
    "Ask",
    {
        "spawn_id": str,
        "task_id": str,
        "session_id": str,
        "profile": str,
        "ask_id": str,
        "kind": str,
        "title": str,
        "detail": Any,
        "options": List[Dict[str, str]],
        "text": bool,
        "deadline": int,
        "default": str,
    },
    total=False,
)


class Timeouts(NamedTuple):
    """Seconds."""

    #: From the request to the running worker, beside `wait`.
    spawn: float = 60
    #: From there until the session lets us in.
    ready: float = 15
    #: Until Brig has taken a message, or answered a request.
    answer: float = 30
    #: From a lost connection to the next.
    reconnect: float = 120

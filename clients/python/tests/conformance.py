"""Does what the lines on its standard input say, and prints what came of it: see clients/conformance.

Each line is a case: where the gateway is, and steps. Each line of the answer has an outcome for each step.
"""

import asyncio
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from brig_client import AsyncBrig, Brig, BrigError, Timeouts  # noqa: E402


class Sync:
    """The same calls as asyncio's, without it."""

    def __init__(self, *args, **options):
        self._inner = Brig(*args, **options)

    async def start(self, *args, **options):
        return SyncSession(self._inner.start(*args, **options))

    async def asks(self, *args):
        return self._inner.asks(*args)

    async def answer(self, *args, **options):
        return self._inner.answer(*args, **options)

    async def close(self):
        self._inner.close()


class SyncSession:
    def __init__(self, session):
        self._inner = session
        self.spawn_id = session.spawn_id

    def __aiter__(self):
        return self

    async def __anext__(self):
        for frame in self._inner:
            return frame
        raise StopAsyncIteration

    def __getattr__(self, name):
        async def call(*args, **options):
            return getattr(self._inner, name)(*args, **options)

        return call


async def main():
    make = AsyncBrig if sys.argv[1] == "async" else Sync
    for line in sys.stdin:
        case = json.loads(line)
        options = case.get("options", {})
        brig = make(
            case["where"],
            token=case.get("token"),
            max_latency_ms=options.get("max_latency_ms"),
            timeouts=Timeouts(answer=options.get("answer_ms", 60_000) / 1_000),
        )
        state = {}
        outcomes = [await outcome_of(brig, state, step) for step in case["steps"]]
        if "session" in state:
            await state["session"].close()
        await brig.close()
        print(json.dumps({"outcomes": outcomes}), flush=True)


async def outcome_of(brig, state, step):
    try:
        return await run(brig, state, **step)
    except BrigError as failure:
        return {
            "error": failure.code,
            "text": failure.text,
            "retry_after_seconds": failure.retry_after_seconds,
        }


async def run(brig, state, do, **step):
    session = state.get("session")
    if do == "start":
        state["session"] = await brig.start(**step)
        return {"ok": True, "spawn_id": state["session"].spawn_id}
    if do == "read":
        return {"frames": await read(session, step["until"])}
    if do == "text":
        return {"text": await session.text()}
    if do == "asks":
        return {"asks": await brig.asks(step.get("tree"))}
    if do == "answer_ask":
        await brig.answer(**step)
    else:
        await getattr(session, do)(**step)
    return {"ok": True}


async def read(session, until):
    frames = []
    while len(frames) != until:
        try:
            frames.append(await session.__anext__())
        except StopAsyncIteration:
            break
        if frames[-1]["type"] == until:
            break
    return frames


asyncio.run(main())

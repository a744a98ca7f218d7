"""A gateway that does what its scripts say, over a real Unix socket."""

import asyncio
import json
import tempfile
from pathlib import Path

SPAWN_ID = "spn_01kdvw5v09s6yx3m8q2t7n4e"
EPOCH = "4h2k9x0c"


def chunk(seq, content, **more):
    return {"type": "chunk", "seq": seq, "ts": 1, "stream": "stdout", "content": content, **more}


def done(seq, **more):
    return {"type": "done", "seq": seq, "ts": 1, "exit_code": 0, **more}


def terminated(seq):
    return {"type": "state", "seq": seq, "ts": 1, "state": "terminated", "reason": "requested"}


class Peer:
    """One connection as the gateway has it."""

    def __init__(self, reader, writer, first):
        self._reader = reader
        self._writer = writer
        self.first = first

    async def line(self):
        """The next line of the client; None when it has gone."""
        line = await self._reader.readline()
        return json.loads(line) if line else None

    async def take(self):
        """The next line that is told; it is taken at once."""
        line = await self.line()
        if line is not None and "ask_id" not in line:
            assert (await self.line()) == {"action": "ping"}
            self.write({"type": "pong"})
        return line

    def write(self, *parts):
        for part in parts:
            self._writer.write(part if isinstance(part, bytes) else json.dumps(part).encode() + b"\n")

    def welcome(self, **more):
        line = {"type": "authenticated", "spawn_id": SPAWN_ID, "task_id": "t", "role": "captain", "epoch": EPOCH}
        self.write({**line, "from": self.first.get("from", 1), "state": "running", **more})

    async def drain(self):
        await self._writer.drain()

    async def gone(self):
        """Waits until the client has gone."""
        while await self._reader.read(65_536):
            pass

    def cut(self):
        self._writer.transport.abort()


class FakeGateway:
    """`session` has a script for each connection to the session, in order; `spawn` one for each spawn."""

    def __init__(self, session=(), spawn=(), answers=None):
        self._session = list(session)
        self._spawn = list(spawn)
        self._answers = answers or {}
        self.requests = []
        self.faults = []
        self._peers = []
        self.folder = tempfile.TemporaryDirectory(prefix="brig-client-")
        self.spawner = str(Path(self.folder.name) / "spawner.sock")

    async def __aenter__(self):
        self._server = await asyncio.start_unix_server(self._serve, self.spawner, limit=4_194_304)
        return self

    async def __aexit__(self, *_):
        self._server.close()
        for peer in self._peers:
            peer.cut()
        self.folder.cleanup()
        for fault in self.faults:
            raise fault

    async def _serve(self, reader, writer):
        try:
            line = await reader.readline()
            if not line:
                return
            request = json.loads(line)
            peer = Peer(reader, writer, request)
            self._peers.append(peer)
            self.requests.append(request)
            await self._play(peer, request)
            await peer.gone()
        except (ConnectionError, asyncio.CancelledError):
            pass
        except BaseException as fault:
            self.faults.append(fault)
        finally:
            writer.close()

    async def _play(self, peer, request):
        action = request["action"]
        if action == "attach":
            await self._session.pop(0)(peer)
        elif action == "spawn" and self._spawn:
            await self._spawn.pop(0)(peer)
        elif action == "spawn":
            peer.write({"task_id": "t", "spawn_id": SPAWN_ID, "workspace": "/w", "status": "spawned"})
        elif action == "terminate":
            peer.write({"spawn_id": SPAWN_ID, "state": "terminated"})
        else:
            peer.write(self._answers[action])

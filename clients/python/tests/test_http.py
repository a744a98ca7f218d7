import asyncio
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from brig_client import AsyncBrig, BrigError  # noqa: E402

TOKEN = "brig_dGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLTAxMjM0NTY"


class HttpTest(unittest.IsolatedAsyncioTestCase):
    async def status_behind(self, *pieces, path=""):
        """What a client gets of a server that answers so, and the head that the server got."""
        heads = []

        async def serve(reader, writer):
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            for piece in pieces:
                writer.write(piece)
                await asyncio.sleep(0)
            if len(pieces) > 1:
                # Until the client has gone.
                await asyncio.gather(reader.read(65_536), return_exceptions=True)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            return await AsyncBrig(f"http://127.0.0.1:{port}{path}", token=TOKEN).status("x"), heads[0].decode()
        finally:
            server.close()

    async def assertFails(self, code, *pieces):
        with self.assertRaises(BrigError) as raised:
            await self.status_behind(*pieces)
        self.assertEqual(raised.exception.code, code)
        return raised.exception

    async def test_speaks_the_spawner_socket_behind_an_upgrade(self):
        answer = b'{"spawn_id":"spn_1","task_id":"t"}\n'
        view, head = await self.status_behind(b"HTTP/1.1 101 Switching Protocols\r\n\r\n", answer, path="/brig/")
        self.assertEqual(view["task_id"], "t")
        self.assertTrue(head.startswith("GET /brig/api/v1/spawner HTTP/1.1\r\nHost: 127.0.0.1:"))
        self.assertIn(f"\r\nAuthorization: Bearer {TOKEN}\r\n", head)

    async def test_refusals_have_brigs_code(self):
        body = b'{"code":"MAX_CONNECTIONS","detail":"too many","retry_after_seconds":2}'
        head = b"HTTP/1.1 503 Busy\r\nContent-Length: %d\r\n\r\n" % len(body)
        failure = await self.assertFails("MAX_CONNECTIONS", head, body)
        self.assertEqual((failure.message, failure.retry_after_seconds), ("too many", 2))

    async def test_other_answers_have_their_status(self):
        failure = await self.assertFails("CONNECTION_FAILED", b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nno\n")
        self.assertTrue(failure.is_passing)
        failure = await self.assertFails("CONNECTION_FAILED", b"HTTP/1.1 404 Not Found\r\n\r\n")
        self.assertFalse(failure.is_passing)
        long = b"HTTP/1.1 400 Bad\r\nContent-Length: 999999999\r\n\r\n{"
        await self.assertFails("CONNECTION_FAILED", long)

    async def test_what_is_no_http_or_too_long_is_refused(self):
        await self.assertFails("PROTOCOL_VIOLATION", b"SSH-2.0-x\r\n\r\n")
        await self.assertFails("PROTOCOL_VIOLATION", b"HTTP/1.1 101 ", b"x" * 200_000, b"\r\n\r\n")
        await self.assertFails("CONNECTION_LOST", b"HTTP/1.1 101 Swi")

    def test_refuses_places_and_tokens_that_are_none(self):
        for where, token in [
            ("http://127.0.0.1:7070", None),
            ("http://127.0.0.1:7070", "a\r\nX: y"),
            ("http://", TOKEN),
            ("http://127.0.0.1:7070/a b", TOKEN),
        ]:
            with self.subTest(where), self.assertRaises(BrigError) as raised:
                AsyncBrig(where, token=token)
            self.assertEqual(raised.exception.code, "INVALID_FIELD")


if __name__ == "__main__":
    unittest.main()

import asyncio
import sys
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))

from brig_client import AsyncBrig, Brig, BrigError, Position, Timeouts  # noqa: E402
from fake_gateway import SPAWN_ID, FakeGateway, chunk, done, terminated  # noqa: E402


async def idle(peer):
    peer.welcome()


class SessionTest(unittest.IsolatedAsyncioTestCase):
    async def assertFails(self, code, work):
        with self.assertRaises(BrigError) as raised:
            await work
        self.assertEqual(raised.exception.code, code)
        return raised.exception

    async def test_another_process_goes_on_where_one_stopped(self):
        async def first(peer):
            peer.welcome()
            peer.write(chunk(1, "a"), chunk(2, "b"), chunk(3, "c"))

        async def second(peer):
            self.assertEqual(peer.first["from"], 3)
            peer.welcome()
            peer.write(chunk(3, "c"), done(4))

        view = {"spawn_id": SPAWN_ID, "task_id": "t", "state": "running"}
        async with FakeGateway([first, second], answers={"status": view}) as gateway:
            brig = AsyncBrig(gateway.spawner)
            session = await brig.start("shell")
            self.assertEqual([(await session.__anext__())["seq"] for _ in range(2)], [1, 2])
            position = session.position
            await session.close()
            self.assertEqual(position.next, 3)
            again = await brig.attach("t", position=Position(*position))
            self.assertEqual(await again.text(), "c")
            await again.close()

    async def test_leaving_the_context_ends_a_captains_session_and_no_watchers(self):
        ended = []

        async def captain(peer):
            peer.welcome()
            ended.append(await peer.take())

        view = {"spawn_id": SPAWN_ID, "task_id": "t", "state": "running"}
        async with FakeGateway([captain, idle], answers={"status": view}) as gateway:
            brig = AsyncBrig(gateway.spawner)
            async with await brig.start("shell"):
                pass
            async with await brig.attach("t", role="watcher"):
                pass
            self.assertEqual(ended, [{"action": "terminate"}])
            self.assertEqual(gateway.requests[-1]["role"], "watcher")

    async def test_holds_brig_back_while_nobody_reads_and_hears_answers_all_the_same(self):
        held = asyncio.get_running_loop().create_future()

        async def busy(peer):
            peer.welcome()
            seq = 0
            while peer._writer.transport.get_write_buffer_size() < 1_000_000:
                seq += 1
                peer.write(chunk(seq, "x" * 30_000))
                await asyncio.sleep(0)
            held.set_result(seq)
            self.assertEqual((await peer.take())["content"], "hello")
            peer.write(terminated(seq + 1))

        async with FakeGateway([busy]) as gateway:
            session = await AsyncBrig(gateway.spawner, buffer_bytes=100_000).start("shell")
            count = await held
            await session.send("hello")
            self.assertEqual(len([frame async for frame in session]), count + 1)

    async def test_ends_a_session_that_came_when_nobody_waited_for_it(self):
        asked, go = asyncio.Event(), asyncio.Event()

        async def slow(peer):
            asked.set()
            await go.wait()
            peer.write({"task_id": "t", "spawn_id": SPAWN_ID, "workspace": "/w", "status": "spawned"})

        async with FakeGateway(spawn=[slow]) as gateway:
            brig = AsyncBrig(gateway.spawner)
            start = asyncio.ensure_future(brig.start("shell"))
            await asked.wait()
            start.cancel()
            await asyncio.gather(start, return_exceptions=True)
            go.set()
            await brig.close()
            self.assertEqual(gateway.requests[-1], {"action": "terminate", "id": SPAWN_ID})

    async def test_what_cannot_be_sent_is_refused_here(self):
        async with FakeGateway([idle]) as gateway:
            brig = AsyncBrig(gateway.spawner)
            await self.assertFails("INVALID_FIELD", brig.start("shell", workspace=object()))
            await self.assertFails("INVALID_FIELD", brig.start("shell", cost=float("nan")))
            await self.assertFails("INVALID_FIELD", brig.answer("ask_1", "allow"))
            await self.assertFails("INVALID_FIELD", brig.answer("ask_" + "0" * 24))

    async def test_says_where_nobody_listens(self):
        failure = await self.assertFails("CONNECTION_FAILED", AsyncBrig("/nowhere/spawner.sock").status("x"))
        self.assertTrue(failure.is_passing)

    async def test_gives_up_in_time(self):
        async def silent(peer):
            await peer.gone()

        async with FakeGateway(spawn=[silent]) as gateway:
            brig = AsyncBrig(gateway.spawner, timeouts=Timeouts(spawn=0.05))
            await self.assertFails("TIMEOUT", brig.start("shell"))
            for task in brig._late:
                task.cancel()


class SyncTest(unittest.TestCase):
    def test_another_thread_may_cancel_while_one_reads(self):
        cancelled = threading.Event()

        async def session(peer):
            peer.welcome()
            peer.write(chunk(1, "a"))
            self.assertEqual(await peer.take(), {"action": "cancel"})
            cancelled.set()
            peer.write(done(2, reason="cancelled"))

        with ServedGateway([session]) as gateway, Brig(gateway.spawner) as brig:
            session = brig.start("shell")
            self.assertEqual(next(session)["content"], "a")
            other = threading.Thread(target=session.cancel)
            other.start()
            with self.assertRaisesRegex(BrigError, "MESSAGE_FAILED: cancelled"):
                session.text()
            other.join()
            self.assertTrue(cancelled.is_set())
            session.close()
            self.assertEqual(list(session), [])

    def test_the_position_is_behind_the_frame_that_was_taken(self):
        async def session(peer):
            peer.welcome()
            peer.write(chunk(1, "a"), chunk(2, "b"), terminated(3))

        with ServedGateway([session]) as gateway, Brig(gateway.spawner) as brig:
            positions = [(frame["seq"], session.position.next) for session in [brig.start("shell")] for frame in session]
            self.assertEqual(positions, [(1, 2), (2, 3), (3, 4)])


class ServedGateway:
    """The same on a thread of its own, for clients that wait."""

    def __init__(self, session):
        self._gateway = FakeGateway(session)
        self.spawner = self._gateway.spawner
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self):
        self._thread.start()
        self._run(self._gateway.__aenter__())
        return self

    def __exit__(self, *_):
        try:
            self._run(self._gateway.__aexit__())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


if __name__ == "__main__":
    unittest.main()

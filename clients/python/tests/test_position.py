import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from brig_client import BrigError, Position  # noqa: E402
from brig_client._position import Progress  # noqa: E402


def chunk(seq, **more):
    return {"type": "chunk", "seq": seq, **more}


class PositionTest(unittest.TestCase):
    def setUp(self):
        self.progress = Progress(Position("e", 5))

    def assertRefuses(self, message, code):
        with self.assertRaises(BrigError) as raised:
            self.progress.admit(message)
        self.assertEqual(raised.exception.code, code)
        self.assertEqual(self.progress.next, 5)

    def test_admits_what_is_due_and_nothing_twice(self):
        self.assertEqual([self.progress.admit(chunk(seq)) for seq in (3, 4, 5, 5, 6)], [False, False, True, False, True])
        self.assertEqual(self.progress.next, 7)

    def test_admits_merged_chunks_that_begin_where_it_is(self):
        self.assertTrue(self.progress.admit({**chunk(9), "from": 5}))
        self.assertFalse(self.progress.admit({**chunk(9), "from": 7}))
        self.assertEqual(self.progress.next, 10)

    def test_refuses_numbers_that_are_none(self):
        for seq in "5", 5.5, True, [], {}:
            self.assertRefuses(chunk(seq), "PROTOCOL_VIOLATION")
        for begin, end in ((None, None), (5, "9"), (9, 5), (True, 5)):
            self.assertRefuses({"type": "gap", "from": begin, "to": end}, "PROTOCOL_VIOLATION")
        self.assertRefuses({**chunk(5), "from": 6}, "PROTOCOL_VIOLATION")
        self.assertRefuses({**chunk(5), "from": 4}, "PROTOCOL_VIOLATION")

    def test_finds_frames_that_are_missing(self):
        self.assertRefuses(chunk(6), "FRAMES_LOST")
        self.assertRefuses({**chunk(9), "from": 6}, "FRAMES_LOST")
        self.assertRefuses({"type": "gap", "from": 6, "to": 9}, "FRAMES_LOST")

    def test_goes_on_behind_a_gap(self):
        self.assertTrue(self.progress.admit({"type": "gap", "from": 5, "to": 8, "reason": "evicted"}))
        self.assertFalse(self.progress.admit({"type": "gap", "from": 2, "to": 8, "reason": "evicted"}))
        self.assertEqual(self.progress.next, 9)

    def test_begins_anew_with_a_new_epoch(self):
        self.assertIsNone(self.progress.enter({"epoch": "e", "from": 5}))
        gap = self.progress.enter({"epoch": "f", "from": 1})
        self.assertEqual((gap["from"], gap["reason"], self.progress.next), (5, "epoch_changed", 1))
        self.progress.admit({"type": "gap", "from": 1, "to": 9, "reason": "epoch_changed", "epoch": "g"})
        self.assertEqual((self.progress.epoch, self.progress.next), ("g", 1))

    def test_knows_the_last_frame(self):
        self.progress.admit({"type": "state", "state": "terminated"})
        self.assertFalse(self.progress.is_at_end)
        self.progress.admit({"type": "state", "seq": 5, "state": "terminated"})
        self.assertTrue(self.progress.is_at_end)


if __name__ == "__main__":
    unittest.main()

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from brig_client import BrigError  # noqa: E402
from brig_client._lines import LineReader  # noqa: E402

LINES = '{"a":"ü€😀"}\r\n\n\r\n{"b":[1,{"c":2.5}]}\n{"d":"\\n"}\n'.encode()
OBJECTS = [{"a": "ü€😀"}, {"b": [1, {"c": 2.5}]}, {"d": "\n"}]


def read(reader, *pieces):
    return [found for piece in pieces for found, _ in reader.read(piece)]


class LinesTest(unittest.TestCase):
    def test_reads_the_same_objects_wherever_the_bytes_are_split(self):
        for at in range(len(LINES) + 1):
            for behind in range(at, len(LINES) + 1):
                pieces = LINES[:at], LINES[at:behind], LINES[behind:]
                self.assertEqual(read(LineReader(64), *pieces), OBJECTS)

    def test_says_how_long_each_line_was(self):
        self.assertEqual([length for _, length in LineReader(64).read(b'{}\n{"a":1}\r\n')], [3, 9])

    def test_bounds_a_line_in_one_piece_in_two_and_one_that_never_ends(self):
        line = b'{"a":"' + b"x" * 92 + b'"}\n'
        self.assertEqual(len(read(LineReader(len(line)), line)), 1)
        for pieces in [line], [line[:50], line[50:]], [line[:-1], b"\n"], [b"x" * 101]:
            with self.assertRaisesRegex(BrigError, "more than 100 bytes"):
                read(LineReader(100), *pieces)

    def test_refuses_what_is_no_json_object_in_utf8(self):
        lines = [
            b"nonsense",
            b'{"a":',
            b"[]",
            b"null",
            b"7",
            b'"text"',
            b"{} {}",
            "\ufeff{}".encode(),
            b'"\xff"',
            b'{"a":"\xed\xa0\x80"}',
            b'{"a":NaN}',
            b'{"a":-Infinity}',
            b'{"a":"\x01"}',
            b'{"a":' + b"9" * 1_000 + b"}",
            b'{"a":' + b"[" * 60_000,
        ]
        for line in lines:
            with self.subTest(line[:20]), self.assertRaises(BrigError) as raised:
                read(LineReader(65_536), line + b"\n")
            self.assertEqual(raised.exception.code, "PROTOCOL_VIOLATION")


if __name__ == "__main__":
    unittest.main()

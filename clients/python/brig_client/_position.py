"""Where a reader of a stream is."""

from typing import Any, Dict, NamedTuple, Optional

from ._errors import BrigError, is_whole


class Position(NamedTuple):
    """A place in a stream: `next` is the number of the frame that is due. Another process can go on from it.

        position = session.position
        ...
        session = brig.attach(spawn_id, position=position)
    """

    epoch: Optional[str] = None
    next: int = 1


class Progress:
    """Admits each frame once and in order, over any number of connections."""

    def __init__(self, position: Position) -> None:
        self.epoch = position.epoch
        self.next = position.next
        self.is_at_end = False

    def enter(self, welcome: Dict[str, Any]) -> Optional[Dict[str, Any]]:
        """A connection begins, with the line `authenticated`. Returns a gap where the stream that we were in is gone."""
        epoch, begin = welcome.get("epoch"), welcome.get("from")
        if not isinstance(epoch, str) or not is_whole(begin):
            raise BrigError("PROTOCOL_VIOLATION", "Brig says neither where the stream begins nor which it is")
        is_same = self.epoch is None or self.epoch == epoch
        self.epoch = epoch
        if is_same:
            return None
        due, self.next = self.next, 1
        return {"type": "gap", "from": due, "to": due, "reason": "epoch_changed", "epoch": epoch}

    def admit(self, message: Dict[str, Any]) -> bool:
        """Goes on behind a message. Returns whether it is new: some may come again when a gateway died."""
        if message.get("type") == "gap":
            return self._admit_gap(message)
        seq = message.get("seq")
        if seq is None:
            return True
        first = message.get("from", seq) if message.get("type") == "chunk" else seq
        if not is_whole(seq) or not is_whole(first) or first > seq:
            raise BrigError("PROTOCOL_VIOLATION", "a frame whose numbers are none")
        if first > self.next:
            raise BrigError("FRAMES_LOST", f"frame {first} came where {self.next} was due")
        if first < self.next <= seq:
            raise BrigError("PROTOCOL_VIOLATION", f"frames {first} to {seq} came where {self.next} was due")
        if seq < self.next:
            return False
        self.next = seq + 1
        self.is_at_end = message.get("type") == "state" and message.get("state") == "terminated"
        return True

    def _admit_gap(self, gap: Dict[str, Any]) -> bool:
        begin, end, epoch = gap.get("from"), gap.get("to"), gap.get("epoch")
        if not is_whole(begin) or not is_whole(end) or begin > end:
            raise BrigError("PROTOCOL_VIOLATION", "a gap whose numbers are none")
        if isinstance(epoch, str):
            self.epoch = epoch
            self.next = 1
            return True
        if begin > self.next:
            raise BrigError("FRAMES_LOST", f"a gap from {begin} on came where frame {self.next} was due")
        is_new = end >= self.next
        self.next = max(self.next, end + 1)
        return is_new

"""Runs agents behind Brig's wall: `Brig` for plain code, `AsyncBrig` for asyncio.

    from brig_client import Brig

    with Brig() as brig, brig.start("shell", "make test") as session:
        print(session.text())
"""

from ._brig import AsyncBrig
from ._errors import BrigError
from ._position import Position
from ._session import AsyncSession
from ._sync import Brig, Session
from ._types import Ask, Frame, Timeouts

__all__ = ["Ask", "AsyncBrig", "AsyncSession", "Brig", "BrigError", "Frame", "Position", "Session", "Timeouts"]

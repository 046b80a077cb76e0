"""Ctrl-C as a request to end that the work looks up when it suits.

An exception that a signal raises may come anywhere, also inside a compiled function, which answers
with a SystemError, or between two statements that belong together. A flag cannot.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 0.05
"""Seconds after which a signal that arrived inside an import is sent again."""


class CtrlC:
    """A request to end, which the work looks up when it suits, so that nothing is lost.

    >>> with CtrlC().taken() as request:
    ...     print("to end:", request())
    to end: False
    """

    def __init__(self) -> None:
        self.made = False
        self.repeated = False

    def __call__(self) -> bool:
        """Return whether the work is to end."""
        return self.made

    @contextmanager
    def taken(self) -> Iterator[CtrlC]:
        """Take Ctrl-C as the request inside this block; a second one raises KeyboardInterrupt.

        This is so only where Ctrl-C would raise KeyboardInterrupt otherwise: in the main thread,
        and if nobody else has taken it.
        """
        if not _is_untaken():
            yield self
            return
        signal.signal(signal.SIGINT, self._note)
        try:
            yield self
        except SystemError:
            if self.repeated:  # raised inside a compiled function
                raise KeyboardInterrupt from None
            raise
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: Any) -> None:
        if not self.made:
            self.made = True
        elif not postpone_in_import(number, frame):
            self.repeated = True
            raise KeyboardInterrupt


@contextmanager
def ctrl_c_unless(stop: Callable[[], bool] | None) -> Iterator[Callable[[], bool]]:
    """Yield ``stop``, or Ctrl-C as a request if there is none."""
    if stop is not None:
        yield stop
        return
    with CtrlC().taken() as request:
        yield request


def _is_untaken() -> bool:
    """Return whether Ctrl-C would raise KeyboardInterrupt here."""
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def postpone_in_import(number: int, frame: Any) -> bool:
    """Send the signal again later if it came inside an import, and return whether it did.

    An exception may leave an import half done.
    """
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            again = threading.Timer(PATIENCE, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return True
        frame = frame.f_back
    return False

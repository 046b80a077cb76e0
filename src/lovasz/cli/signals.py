"""Ctrl-C, and polite requests to end."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Interrupted(BaseException):
    """Ctrl-C, or a polite request to end; no ``Exception``, which parsers take for bad input."""


def interrupt(number: int, _: Any) -> None:
    """Raise :class:`Interrupted`, once."""
    # Not KeyboardInterrupt: typer turns that into exit code 130, and Python, when it passed
    # through certain C code, into death by signal after all is said and done.
    signal.signal(number, signal.SIG_DFL)  # a second Ctrl-C does not ask
    raise Interrupted


class Request:
    """A first Ctrl-C as a question that work may ask when it suits, so that nothing is lost."""

    def __init__(self) -> None:
        self.made = False

    def __call__(self) -> bool:
        """Whether the work is to end."""
        return self.made

    @contextmanager
    def awaited(self, answer: Callable[[], None]) -> Iterator[None]:
        """Take signals as requests for a while; the first is answered, the second ends it all.

        Python runs handlers when a long computation comes back from C; a thread that is told
        of signals does not wait for it.
        """
        told, teller = socket.socketpair()
        teller.setblocking(False)
        listener = Thread(target=self._listen, args=(told, answer), daemon=True)
        listener.start()
        teller_before = signal.set_wakeup_fd(teller.fileno(), warn_on_full_buffer=False)
        before = {number: signal.signal(number, self._note) for number in SIGNALS}
        try:
            yield
        finally:
            signal.set_wakeup_fd(teller_before)
            teller.close()
            listener.join()
            told.close()
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if self.made else handler)

    def _note(self, *_: Any) -> None:
        self.made = True

    def _listen(self, told: socket.socket, answer: Callable[[], None]) -> None:
        heard = 0
        while number := told.recv(1):
            if number[0] not in SIGNALS:
                continue
            heard += 1
            if heard > 1:
                _end_at_once()
            self.made = True
            answer()


def _end_at_once() -> None:
    """Leave without asking anyone; the cursor that a progress line hid comes back."""
    os.write(2, b"\x1b[?25h\n" if os.isatty(2) else b"")
    os.write(2, b"lovasz: interrupted twice; ended at once\n")
    os._exit(1)

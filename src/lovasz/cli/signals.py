"""What happens at Ctrl-C and at other requests to end."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from lovasz.base.interrupts import CtrlC, postpone_in_import

SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""The signals that ask the command to end, as far as this platform has them."""


class Interrupted(BaseException):
    """A signal asked the command to end.

    It is no ``Exception``, because parsers take those for bad input.
    """


def interrupt(number: int, frame: Any) -> None:
    """Raise :class:`Interrupted` at the first signal; a second one ends the process.

    Inside an import, which an exception may leave half done, the signal is sent again later.
    """
    if postpone_in_import(number, frame):
        return
    # This is not a KeyboardInterrupt: typer turns that into exit code 130, and Python, if it
    # passed through certain C code, into death by signal after all output has been written.
    signal.signal(number, signal.SIG_DFL)
    raise Interrupted


class Request(CtrlC):
    """A request to end by any of the signals, which is answered at once."""

    @contextmanager
    def awaited(self, answer: Callable[[], None]) -> Iterator[None]:
        """Take signals as requests inside this block.

        At the first signal ``answer`` is called; a second one ends the process. Python runs
        signal handlers only when a long computation returns from C, so a thread listens for
        the signals instead.
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

    def _note(self, number: int, frame: Any) -> None:
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
    """Exit immediately, after showing the cursor that a progress line may have hidden."""
    os.write(2, b"\x1b[?25h\n" if os.isatty(2) else b"")
    os.write(2, b"lovasz: interrupted twice; ended at once\n")
    os._exit(1)

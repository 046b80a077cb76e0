"""The start of the command ``lovasz`` and of ``python -m lovasz``."""

from __future__ import annotations

import atexit
import gc
import os
import signal
from typing import Any

NEW_OBJECTS = 50_000
"""Number of new objects after which Python looks for unused ones that refer to each other. Imports
and pictures make hundreds of thousands of objects that stay in use, so the usual 700 cost a tenth
of a short command."""


def main() -> None:
    """Run the command; Ctrl-C while it is being imported ends it with one line, too."""
    signal.signal(signal.SIGINT, _end)
    gc.set_threshold(NEW_OBJECTS)
    atexit.register(gc.freeze)  # or the end looks for them, too: half a second after torch
    from lovasz.cli import main as run

    run()


def _end(*_: Any) -> None:
    # An exception raised inside an import may leave the interpreter in a state that crashes.
    os.write(2, b"lovasz: interrupted; nothing was written\n")
    os._exit(1)


if __name__ == "__main__":
    main()

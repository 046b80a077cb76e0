"""The start of the command ``lovasz`` and of ``python -m lovasz``."""

from __future__ import annotations

import os
import signal
from typing import Any


def main() -> None:
    """Run the command; Ctrl-C while it is being imported ends it with one line, too."""
    signal.signal(signal.SIGINT, _end)
    from lovasz.cli import main as run

    run()


def _end(*_: Any) -> None:
    # An exception raised inside an import may leave the interpreter in a state that crashes.
    os.write(2, b"lovasz: interrupted; nothing was written\n")
    os._exit(1)


if __name__ == "__main__":
    main()

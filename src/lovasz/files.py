"""Writing files so that an interrupt never leaves half of one."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lovasz.errors import LovaszError


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; it takes the place of ``path`` if all goes well.

    On any exception, an interrupt included, the temporary file goes and ``path`` stays as it
    was. The temporary name ends like ``path``, so that writers that look at suffixes (or add
    one when it is missing) do the right thing. A device or a pipe is written directly.
    """
    wanted = Path(path)
    final = wanted.resolve()  # writing through a symbolic link must not replace the link
    if final.is_dir():
        raise LovaszError(f"{wanted} is a directory; name a file in it")
    if not final.parent.is_dir():
        raise LovaszError(f"{wanted}: there is no directory {final.parent}; create it first")
    if final.exists() and not final.is_file():
        yield final
        return
    temporary = final.with_name(f".{secrets.token_hex(4)}-{final.name}")
    try:
        yield temporary
        os.replace(temporary, final)
    except OSError as error:
        raise LovaszError(
            f"{wanted}: cannot write it ({error.strerror or error}); check permissions and space"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def staged(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary folder inside ``folder``; what was put there moves up if all goes well.

    ``folder`` is created now, so that one that cannot be written to is an error before any
    work is done. On any exception, an interrupt included, it is left as it was found.
    """
    final = Path(folder)
    existed = final.exists()
    try:
        final.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".writing-", dir=final))
    except OSError as problem:
        raise LovaszError(
            f"cannot write to the folder {final} ({problem.strerror}); choose another one"
        ) from None
    try:
        yield temporary
        for entry in temporary.iterdir():
            target = final / entry.name
            if target.is_dir():
                shutil.rmtree(target)
            os.replace(entry, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if not existed and not any(final.iterdir()):
            final.rmdir()

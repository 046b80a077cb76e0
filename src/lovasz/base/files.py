"""Writing files so that an interrupt never leaves half of one."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lovasz.base.errors import LovaszError


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
def staged(folder: str | os.PathLike[str], *names: str) -> Iterator[Path]:
    """Yield a temporary folder inside ``folder``; the files put there move up if all goes well.

    ``names`` are the files to come, such as ``"model/model.json"``. ``folder`` is created and
    their places are checked now, so that what cannot be written is an error before any work is
    done. Files are only ever replaced by files; nothing is deleted. On any exception, an
    interrupt included, the folder is left as it was found.
    """
    final = Path(folder)
    missing = [path for path in (final, *final.parents) if not path.exists()]
    try:
        final.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".writing-", dir=final))
    except OSError as problem:
        raise _cannot_write(final, problem) from None
    try:
        for name in names:
            _check_place(final, Path(name))
        yield temporary
        for path in sorted(temporary.rglob("*")):
            target = final / path.relative_to(temporary)
            if path.is_dir():
                target.mkdir(exist_ok=True)
            else:
                os.replace(path, target)
    except OSError as problem:
        raise _cannot_write(final, problem) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        for path in missing:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def _check_place(final: Path, name: Path) -> None:
    """Refuse a folder where a file is to go, and a file where a folder is to go."""
    if (final / name).is_dir():
        raise LovaszError(f"{final / name} is a folder and a file is to go there; move it away")
    for parent in list(name.parents)[:-1]:
        if (final / parent).exists() and not (final / parent).is_dir():
            raise LovaszError(f"{final / parent} is a file and a folder is to go there; move it")


def _cannot_write(final: Path, problem: OSError) -> LovaszError:
    reason = problem.strerror or problem
    return LovaszError(f"cannot write to the folder {final} ({reason}); choose another one")

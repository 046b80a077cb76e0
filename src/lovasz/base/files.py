"""Writing files so that an error or an interrupt never leaves half of one."""

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
    """Yield a temporary path beside ``path``; the file written there replaces ``path`` at the end.

    On any exception, an interrupt included, the temporary file is deleted and ``path`` stays as
    it was. The temporary name ends like ``path``, so that writers that look at the suffix, or add
    one that is missing, do the right thing. A device or a pipe is written to directly.
    """
    wanted = Path(path)
    final = wanted.resolve()  # a symbolic link must not be replaced by the file
    if final.is_dir():
        raise LovaszError(f"{wanted} is a directory; name a file in it")
    if not final.parent.is_dir():
        raise LovaszError(f"{wanted}: there is no directory {final.parent}; create it first")
    direct = final.exists() and not final.is_file()
    temporary = final.with_name(f".{secrets.token_hex(4)}-{final.name}")
    try:
        yield final if direct else temporary
        if not direct:
            os.replace(temporary, final)
    except OSError as error:
        raise LovaszError(
            f"{wanted}: cannot write it ({error.strerror or error}); check permissions and space"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def staged(folder: str | os.PathLike[str], *names: str) -> Iterator[Path]:
    """Yield a temporary folder inside ``folder``; the files in it move up to ``folder`` at the end.

    ``names`` are the files that will be written, such as ``"model/model.json"``. ``folder`` is
    created and their places are checked first, so that an unwritable place is an error before any
    work is done. Files only ever replace files, and nothing is deleted. On any exception, an
    interrupt included, ``folder`` is left as it was found, even between two moves. Only a process
    that is killed between two moves leaves files of both.
    """
    final = Path(folder)
    missing = [path for path in (final, *final.parents) if not path.exists()]
    try:
        final.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".writing-", dir=final))
    except OSError as problem:
        raise _cannot_write(final, problem) from None
    moved: list[tuple[Path, Path | None]] = []
    try:
        for name in names:
            _check_place(final, Path(name))
        yield temporary
        _move_up(temporary, final, moved)
    except BaseException as problem:
        _move_back(moved)
        if isinstance(problem, OSError):
            raise _cannot_write(final, problem) from None
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        for path in missing:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def _move_up(temporary: Path, final: Path, moved: list[tuple[Path, Path | None]]) -> None:
    """Move everything up; ``moved`` tells, for each place, what was there and is kept aside."""
    paths = sorted(temporary.rglob("*"))
    places = [final / path.relative_to(temporary) for path in paths]
    aside = Path(tempfile.mkdtemp(prefix=".kept-", dir=temporary))
    kept: list[Path | None] = [None] * len(paths)
    for number, target in enumerate(places):  # first, so that the moves follow each other quickly
        if target.is_file():
            kept[number] = aside / str(number)
            shutil.copy2(target, aside / str(number))
    for path, target, old in zip(paths, places, kept, strict=True):
        if path.is_file():
            moved.append((target, old))
            os.replace(path, target)
        elif not target.exists():
            moved.append((target, None))
            target.mkdir()


def _move_back(moved: list[tuple[Path, Path | None]]) -> None:
    """Undo what :func:`_move_up` did so far."""
    for target, old in reversed(moved):
        if old is not None:
            os.replace(old, target)
        elif target.is_dir():
            target.rmdir()
        else:
            target.unlink(missing_ok=True)


def _check_place(final: Path, name: Path) -> None:
    """Raise if a folder stands where a file is to go, or a file where a folder is to go."""
    if (final / name).is_dir():
        raise LovaszError(f"{final / name} is a folder and a file is to go there; move it away")
    for parent in list(name.parents)[:-1]:
        if (final / parent).exists() and not (final / parent).is_dir():
            raise LovaszError(f"{final / parent} is a file and a folder is to go there; move it")


def _cannot_write(final: Path, problem: OSError) -> LovaszError:
    reason = problem.strerror or problem
    return LovaszError(f"cannot write to the folder {final} ({reason}); choose another one")

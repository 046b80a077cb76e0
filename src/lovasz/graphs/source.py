"""Bytes and text of an input file or standard input, and errors that name where they came from."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from lovasz.base.errors import LovaszError

UNFIT = "does not fit into memory; use a machine with more, or a smaller graph"


class Source(NamedTuple):
    """An input, already decompressed."""

    name: str
    """What errors call it."""
    suffix: str
    """Lower-case suffix without ``.gz``, such as ``.csv``; empty for standard input."""
    data: bytes


def load(path: str | os.PathLike[str]) -> Source:
    """Read a file, or standard input for ``-``; gzip is undone whatever the file is called."""
    text = os.fspath(path)
    if text == "-":
        name, suffix = "standard input", ""
        data = sys.stdin.buffer.read()
    else:
        name, suffix = text if text.isprintable() and text else repr(text), suffix_of(text)
        data = _read_file(text, name)
    if data.startswith(b"\x1f\x8b"):
        data = _decompress(data, name)
    if not data.strip():
        raise LovaszError(f"{name} is empty; nothing can be read from it")
    return Source(name, suffix, data)


def suffix_of(path: str | os.PathLike[str]) -> str:
    """Lower-case suffix of ``path``, the one before ``.gz`` if it ends so."""
    plain = Path(path)
    return (plain.with_suffix("") if plain.suffix.lower() == ".gz" else plain).suffix.lower()


def _read_file(path: str, name: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise LovaszError(f"{name}: no such file; check the path") from None
    except IsADirectoryError:
        raise LovaszError(f"{name} is a directory; name a file in it") from None
    except (OSError, ValueError, MemoryError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise LovaszError(f"{name}: cannot read it ({reason}); check the path") from error


def _decompress(data: bytes, name: str) -> bytes:
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise LovaszError(
            f"{name} is a damaged gzip file ({one_line(error)}); copy or download it again"
        ) from error
    except MemoryError as error:
        raise LovaszError(f"{name}: what it holds {UNFIT}") from error


def decode(data: bytes) -> str:
    """``data`` as text; a byte order mark goes."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise LovaszError(
            f"line {number}: byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as "
            "UTF-8, or give it the suffix of its format"
        ) from error


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Put the name of the input before what is wrong with it."""
    try:
        yield
    except LovaszError as error:
        joint = " " if str(error).startswith("line ") else ": "
        raise LovaszError(f"{name}{joint}{error}") from error


@contextmanager
def parsing(what: str) -> Iterator[None]:
    """Turn whatever a third-party parser raises into one line; ``what`` names the format."""
    try:
        yield
    except LovaszError:
        raise
    except MemoryError as error:
        raise LovaszError(f"what it holds {UNFIT}") from error
    except Exception as error:  # parsers raise anything, from KeyError to struct.error
        raise LovaszError(
            f"not a valid {what} file ({one_line(error)}); check how it was written"
        ) from error


@contextmanager
def containing() -> Iterator[None]:
    """One line for what no check foresaw, so that no file ends in a traceback."""
    try:
        yield
    except LovaszError:
        raise
    except MemoryError as error:
        raise LovaszError(f"what it holds {UNFIT}") from error
    except (ValueError, OverflowError) as error:
        raise LovaszError(
            f"it cannot be read as a graph ({one_line(error)}); check how it was written"
        ) from error


def one_line(error: BaseException) -> str:
    """The message of ``error`` without line breaks, cut where it gets long."""
    return shorten(" ".join(str(error).split()) or type(error).__name__, 160)


def shorten(text: str, length: int = 60) -> str:
    """``text``, cut at ``length`` characters."""
    return text if len(text) <= length else text[: length - 1] + "…"

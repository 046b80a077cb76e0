"""Input and output as bytes: reading, decompressing, decoding, and errors that name the file."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic
from lovasz.base.memory import free_memory
from lovasz.base.text import one_line

GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file."""

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a zip file, with and without members; npz and PyTorch files are zip files."""

NUMPY = b"\x93NUMPY"
"""The first bytes of an npy file."""

CHUNK = 1 << 24
"""Number of bytes that are read at a time."""

OPENING = 1 << 16
"""Number of bytes of a file that are read to see what it holds."""

PEAK_TEXT = 8
"""Peak memory per byte of text, a low estimate; ``benchmarks/reader_memory.py`` measures more."""

PEAK_ARRAYS = 2
"""Peak memory per byte of files of arrays, a low estimate: the file and its arrays."""

UNFIT = "does not fit into memory; use a machine with more, or a smaller graph"
"""The predicate of the error message about contents that are too large."""


class Source(NamedTuple):
    """The content of an input file, or of standard input."""

    name: str
    """What error messages call the input."""
    suffix: str
    """Lower-case suffix without ``.gz``, such as ``.csv``; empty for standard input."""
    data: bytes
    """The content, decompressed."""


def read_source(path: str | os.PathLike[str]) -> Source:
    """Read a file, or standard input for ``-``; gzip is recognised by content, whatever the name.

    A name that ends in ``.gz`` promises gzip, so other content is an error.
    """
    text = os.fspath(path)
    if text == "-":
        name, suffix = "standard input", ""
        data = _within_memory(iter(lambda: sys.stdin.buffer.read(CHUNK), b""), name)
    else:
        name, suffix = text if text.isprintable() and text else repr(text), suffix_of(text)
        data = _read_file(text, name)
    if data.startswith(GZIP):
        data = _decompress(data, name)
    elif data.strip() and text.lower().endswith(".gz"):
        raise LovaszError(
            f"{name} is not a gzip file; download it again, or rename it without .gz if it is text"
        )
    if not data.strip():
        raise LovaszError(f"{name} is empty; nothing can be read from it")
    return Source(name, suffix, data)


def read_opening(path: str | os.PathLike[str]) -> Source | None:
    """Return the beginning of a regular file, decompressed, or None if there is none to read."""
    name = os.fspath(path)
    try:
        if not Path(name).is_file():
            return None
        with open(name, "rb") as file:
            data = file.read(OPENING)
        if data.startswith(GZIP):
            data = zlib.decompressobj(wbits=31).decompress(data, OPENING)
    except (OSError, ValueError, zlib.error):
        return None
    return Source(name, suffix_of(name), data)


def write_content(path: str | os.PathLike[str], data: bytes) -> None:
    """Write ``data`` to ``path`` atomically, compressed if the name ends in ``.gz``."""
    if Path(path).suffix.lower() == ".gz":
        data = gzip.compress(data, mtime=0)  # without a time stamp, equal graphs give equal files
    with atomic(path) as temporary:
        temporary.write_bytes(data)


def suffix_of(path: str | os.PathLike[str]) -> str:
    """Return the lower-case suffix of ``path``, ignoring a final ``.gz``.

    >>> suffix_of("graph.CSV.gz")
    '.csv'
    """
    plain = Path(path)
    return (plain.with_suffix("") if plain.suffix.lower() == ".gz" else plain).suffix.lower()


def _read_file(path: str, name: str) -> bytes:
    try:
        with open(Path(path), "rb") as file:
            return _within_memory(iter(lambda: file.read(CHUNK), b""), name)
    except FileNotFoundError:
        raise LovaszError(f"{name}: no such file; check the path") from None
    except IsADirectoryError:
        raise LovaszError(f"{name} is a directory; name a file in it") from None
    except LovaszError:
        raise
    except (OSError, ValueError, MemoryError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise LovaszError(f"{name}: cannot read it ({reason}); check the path") from error


def _decompress(data: bytes, name: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return _within_memory(iter(lambda: file.read(CHUNK), b""), f"{name}, unpacked,")
    except (EOFError, OSError, zlib.error) as error:
        raise LovaszError(
            f"{name} is a damaged gzip file ({one_line(error)}); copy or download it again"
        ) from error
    except MemoryError as error:
        raise LovaszError(f"{name}: what it holds {UNFIT}") from error


def _within_memory(chunks: Iterator[bytes], name: str) -> bytes:
    """Return the chunks as one, or raise as soon as reading them needs more memory than is free.

    A few megabytes of gzip may hold gigabytes.
    """
    whole: list[bytes] = []
    size, budget = 0, float(CHUNK)
    for chunk in chunks:
        whole.append(chunk)
        size += len(chunk)
        if size > budget:  # never for small files, for which the system is not asked
            per_byte = PEAK_ARRAYS if whole[0].startswith((NUMPY, *ZIP)) else PEAK_TEXT
            budget = (free_memory() + size) / per_byte
            if size > budget:
                raise LovaszError(
                    f"{name} has over {size / 2**30:,.2f} GiB, for which reading needs about "
                    f"{size * per_byte / 2**30:,.1f} GiB, and {free_memory() / 2**30:,.1f} GiB "
                    "are free; use a machine with more, or a smaller graph"
                )
    return b"".join(whole)


def decode(data: bytes) -> str:
    """Return ``data`` as UTF-8 text without a byte order mark."""
    if 4 * data.count(b"\0", 0, OPENING) > len(data[:OPENING]):  # half of UTF-16 is zero bytes
        raise LovaszError("most of it is zero bytes, as in UTF-16; save the file as UTF-8")
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
    """Prefix the message of a :class:`LovaszError` with the name of the input."""
    try:
        yield
    except LovaszError as error:
        joint = " " if str(error).startswith("line ") else ": "
        raise LovaszError(f"{name}{joint}{error}") from error


def parsing(what: str) -> AbstractContextManager[None]:
    """Turn whatever a third-party parser raises into one line; ``what`` names the format."""
    # Parsers raise anything, from KeyError to struct.error.
    return _as_one_line(f"not a valid {what} file", Exception)


def containing() -> AbstractContextManager[None]:
    """Turn errors that no check foresaw into one line, so that no file ends in a traceback."""
    return _as_one_line("it cannot be read as a graph", ValueError, OverflowError)


@contextmanager
def _as_one_line(problem: str, *kinds: type[Exception]) -> Iterator[None]:
    """Raise exceptions of ``kinds`` as a :class:`LovaszError` that begins with ``problem``."""
    try:
        yield
    except LovaszError:
        raise
    except MemoryError as error:
        raise LovaszError(f"what it holds {UNFIT}") from error
    except kinds as error:
        raise LovaszError(f"{problem} ({one_line(error)}); check how it was written") from error

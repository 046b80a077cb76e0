"""Damage to files: bytes changed, cut, repeated and spliced, also inside zip and gzip files."""

import contextlib
import gzip
import io
import random
import sqlite3
import zipfile

import numpy as np

TOKENS = [
    b"", b"\n", b"\r\n", b"\r", b"\t", b" ", b",", b";", b'"', b'""', b"#", b"%", b"\0", b"-1",
    b"0",
    b"1e999", b"nan", b"inf", b"-0", b"1.5", b"99999999999999999999", b"2147483648", b"4294967296",
    b"9223372036854775807", b"1000000000", b"\xff", b"\xef\xbb\xbf", b"\xf0\x9f\x8c\xb3",
    "\uffff".encode(), "\u202e".encode(), b"\x1b[31m", b"=1+1", b"[", b"]", b"{", b"}", b"<", b">",
    b"&", b"&#x0;", b"null", b"true", b"p edge 9 9\n", b"c ", b"graph [", b"<graphml>", b"~~~",
]  # fmt: skip
"""What is put into files: delimiters, extreme numbers, invalid text."""

NUMBERS = [-1, 0, 1, 2, 127, 128, 255, 2**15, 2**31 - 1, 2**31, 2**40, 2**62, -(2**31), -(2**63)]
"""What is put into arrays of integers."""

CELLS = [None, -1, 0, 3, 4, 2**31, 2**63 - 1, 0.5, float("inf"), "", "red", "\uffff\x1b", b"\xff\0"]
"""What is put into the cells of databases."""


def mutate(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return ``data`` with one to four changes; ``others`` are files to take parts from."""
    if data[:2] == b"PK" and rng.random() < 0.8:
        return _zip(data, rng)
    if data[:2] == b"\x1f\x8b" and rng.random() < 0.8:
        return gzip.compress(mutate(gzip.decompress(data), others, rng), mtime=0)
    if data[:6] == b"SQLite" and rng.random() < 0.7:
        return _database(data, rng)
    for _ in range(rng.randint(1, 4)):
        data = rng.choice(_CHANGES)(data, others, rng)
    return data


def _flip(data: bytes, _: list[bytes], rng: random.Random) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def _cut(data: bytes, _: list[bytes], rng: random.Random) -> bytes:
    start, stop = _slice(data, rng)
    return data[:start] + data[stop:]


def _end(data: bytes, _: list[bytes], rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _repeat(data: bytes, _: list[bytes], rng: random.Random) -> bytes:
    start, stop = _slice(data, rng)
    return data[:stop] + data[start:stop] * rng.choice([1, 1, 2, 60]) + data[stop:]


def _insert(data: bytes, _: list[bytes], rng: random.Random) -> bytes:
    start, stop = _slice(data, rng)
    return (
        data[:start]
        + rng.choice(TOKENS) * rng.choice([1, 1, 1, 40])
        + data[rng.choice([start, stop]) :]
    )


def _splice(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    other = rng.choice(others)
    start, stop = _slice(other, rng)
    at = rng.randrange(len(data) + 1)
    return data[:at] + other[start:stop] + data[at:]


_CHANGES = (_flip, _flip, _cut, _end, _repeat, _insert, _insert, _splice)


def _slice(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice([1, 2, 4, 16, 64]))


def _zip(data: bytes, rng: random.Random) -> bytes:
    """Change one member of a zip file, which stays a valid zip file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    choice = rng.random()
    if choice < 0.1:
        del members[name]
    elif choice < 0.7 and members[name][:6] == b"\x93NUMPY":
        members[name] = _array(members[name], rng)
    elif choice < 0.8:
        members[name] = rng.choice(list(members.values()))
    else:
        members[name] = mutate(members[name], list(members.values()), rng)
    return pack(members)


def pack(members: dict[str, bytes]) -> bytes:
    """Return a zip file that does not depend on the time of day."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def _array(content: bytes, rng: random.Random) -> bytes:
    """Change the values, the type or the shape of an array."""
    array = np.load(io.BytesIO(content), allow_pickle=False)
    choice = rng.random()
    if choice < 0.6 and array.size and array.dtype.kind in "iuf":
        array = array.copy()
        with np.errstate(all="ignore"):
            value = rng.choice([*NUMBERS, np.nan, np.inf] if array.dtype.kind == "f" else NUMBERS)
            array.flat[rng.randrange(array.size)] = np.array(value).astype(array.dtype)
    elif choice < 0.8:
        kinds = ["i1", "u1", "i4", "u8", "f2", "f8", "c16", "?", ">i4", ">f8", "U3", "M8[s]"]
        try:
            with np.errstate(all="ignore"):
                array = array.astype(rng.choice(kinds))
        except (TypeError, ValueError):
            array = np.zeros(3)
    else:
        flat = array.ravel()
        longer = np.resize(flat, flat.size + 3)
        scalar = flat[:1].reshape(()) if flat.size else flat
        array = rng.choice([flat[:-1], flat[:0], flat[::-1], flat.reshape(-1, 1), longer, scalar])
    return saved(array)


def saved(array: np.ndarray) -> bytes:
    """Return an array as the content of an npy file."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def _database(data: bytes, rng: random.Random) -> bytes:
    """Change cells, tables or settings of an SQLite file, which stays a valid one."""
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.deserialize(data[:18] + b"\1\1" + data[20:])  # in memory there is no WAL
        tables = ("meta", "events", "answers")
        for _ in range(rng.randint(1, 3)):
            table = rng.choice(tables)
            with contextlib.suppress(sqlite3.Error):  # what the tables refuse
                columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
                column, cell = rng.choice(columns or ["x"]), rng.choice(CELLS)
                change = rng.choice([
                    f"PRAGMA ignore_check_constraints = 1; UPDATE {table} SET {column} = ?",
                    f"UPDATE {table} SET {column} = ? WHERE length({column}) % 2",
                    f"DELETE FROM {table} WHERE length({column}) % 2 = ?",
                    f"ALTER TABLE {table} DROP COLUMN {column}",
                    f"DROP TABLE {table}",
                    f"PRAGMA user_version = {rng.choice(NUMBERS)}",
                    f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM meta; END",
                    f"CREATE VIEW v AS SELECT * FROM {table}",
                    "UPDATE sqlite_sequence SET seq = ?",
                ])  # fmt: skip
                for statement in change.split("; ", 1) if "CREATE" not in change else [change]:
                    base.execute(statement, (cell,) if "?" in statement else ())
        base.commit()
        return base.serialize()

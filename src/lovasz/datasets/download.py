"""Finding data files: in the folder LOVASZ_DATA, in the cache, or at a public address.

A file is used only if its SHA-256 is the registered one, wherever it was found. The downloader is
written here, and not taken from pooch, because it resumes interrupted transfers and needs no
dependency.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from lovasz.base.errors import LovaszError
from lovasz.base.progress import progress
from lovasz.datasets.entry import File

ATTEMPTS = 5
"""Number of times that a transfer is started or resumed."""

TIMEOUT = 30
"""Seconds without a byte after which a connection is given up."""


def read_verified(file: File) -> bytes:
    """Return the bytes of ``file``, which is downloaded if necessary."""
    return verified(file)[1]


def verified(file: File) -> tuple[Path, bytes]:
    """Return the path of ``file``, downloaded if necessary, and its bytes, checksum verified."""
    path = locate(file) or download(file)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LovaszError(
            f"{path}: cannot read it ({error.strerror}); check permissions"
        ) from error
    _check(file, path, hashlib.sha256(content).hexdigest())
    return path, content


def locate(file: File) -> Path | None:
    """Return the path of ``file`` in LOVASZ_DATA or in the cache, or None if it is in neither."""
    for folder in (data_folder(), cache_folder()):
        if folder is not None and (path := folder / file.path).is_file():
            return path
    return None


def data_folder() -> Path | None:
    """Return the folder that LOVASZ_DATA names, or None if it is unset."""
    named = os.environ.get("LOVASZ_DATA")
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise LovaszError(f"LOVASZ_DATA={named} is not a folder; correct it or unset it")
    return folder


def cache_folder() -> Path:
    """Return the folder for downloads: LOVASZ_CACHE, or the cache folder of the platform."""
    if named := os.environ.get("LOVASZ_CACHE"):
        return Path(named).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser() / "lovasz"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/lovasz").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "lovasz"


def download(file: File) -> Path:
    """Fetch ``file`` into the cache, resuming an interrupted transfer where it stopped."""
    if file.url is None:
        raise LovaszError(
            f"no public address holds {file.path} in this form; set LOVASZ_DATA to a folder that "
            "holds it"
        )
    final = cache_folder() / file.path
    kept = final.with_name(f"{final.name}.part")
    # A unique name, so that two processes never write to the same file.
    part = final.with_name(f"{final.name}.{secrets.token_hex(4)}.part")
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            os.replace(kept, part)
        _transfer(file, file.url, part)
        _accept(file, part, final)
    except (OSError, HTTPException) as error:
        reason = " ".join(str(getattr(error, "reason", error)).split()) or type(error).__name__
        raise LovaszError(
            f"cannot download {file.url} ({reason}); try again, or put the file at {final}, "
            "or set LOVASZ_DATA to a folder that holds it"
        ) from error
    finally:
        with suppress(OSError):
            os.replace(part, kept)
    return final


def _transfer(file: File, url: str, part: Path) -> None:
    """Append to ``part`` until it is complete; raise if an attempt brings no bytes."""
    failure: Exception = ConnectionError("the transfer was cut")
    with progress(f"Downloading {file.path}", file.bytes) as update:
        for _ in range(ATTEMPTS):
            have = _size(part)
            if have >= file.bytes:
                return
            try:
                with urlopen(_request(url, have), timeout=TIMEOUT) as answer:
                    resumed = answer.status == 206
                    with part.open("ab" if resumed else "wb") as out:
                        while (chunk := answer.read(2**16)) and out.tell() <= file.bytes:
                            out.write(chunk)
                            update(out.tell())
            except HTTPError as error:
                failure = error
                if error.code == 416 and have:  # the server cannot resume here, so start again
                    part.unlink()
                    continue
            except (OSError, HTTPException) as error:
                failure = error
            if _size(part) <= have:
                raise failure
    if _size(part) < file.bytes:
        raise failure


def _request(url: str, have: int) -> Request:
    return Request(url, headers={"Range": f"bytes={have}-"} if have else {})


def _accept(file: File, part: Path, final: Path) -> None:
    """Move a complete download into place, or delete it if its checksum is wrong."""
    with part.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != file.sha256:
        part.unlink()
    _check(file, file.url or final, found)
    os.replace(part, final)


def _check(file: File, source: Path | str, found: str) -> None:
    if found != file.sha256:
        raise LovaszError(
            f"{source} has SHA-256 {found}, expected {file.sha256}; delete it and fetch it again"
        )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0

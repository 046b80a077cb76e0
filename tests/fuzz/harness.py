"""Mutated files through every reader, each in a forked child with limits on memory and time.

    python -m tests.fuzz.harness 10000 --seed 0 --out findings

A finding is a case that ends in anything but success or a :class:`LovaszError` of one line. Its
file is written to the folder ``--out``, with the reason beside it.
"""

import argparse
import faulthandler
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.mutations import mutate
from tests.fuzz.targets import TARGETS

from lovasz import LovaszError
from lovasz.classify.storage import _digest

CORPUS = Path(__file__).parent / "corpus"
"""The folder with one folder of good files per target."""

SECONDS = 10.0
"""CPU seconds after which a case counts as hanging."""

MEMORY = 2 << 30
"""Number of bytes that a case may allocate."""


class Case(NamedTuple):
    """One damaged file, or one folder of a model with damage."""

    target: str
    name: str
    files: dict[str, bytes]


class Outcome(NamedTuple):
    """How a case ended."""

    kind: str
    """One of "read", "refused", "raw", "crash", "hang"."""
    detail: str


def cases(count: int, seed: int, only: str | None = None) -> Iterator[Case]:
    """Yield damaged copies of the corpus; the same seed gives the same cases."""
    rng = random.Random(seed)
    corpus = {
        target: sorted((CORPUS / _folder(target)).iterdir())
        for target in TARGETS
        if only in (None, target)
    }
    for _ in range(count):
        target = rng.choice(list(corpus))
        source = rng.choice(corpus[target])
        inside = sorted(source.iterdir()) if source.is_dir() else [source]
        files = {path.name: path.read_bytes() for path in inside}
        others = [path.read_bytes() for path in corpus[target] if path.is_file()]
        hit = rng.choice(list(files))
        files[hit] = mutate(files[hit], others or list(files.values()), rng)
        if target == "models" and rng.random() < 0.7:
            files = sign(files)
        if rng.random() < 0.1:  # files travel under any name
            files = {_renamed(name, source, rng): data for name, data in files.items()}
        yield Case(target, source.name, files)


def sign(files: dict[str, bytes]) -> dict[str, bytes]:
    """Give a damaged model the right digest, as someone who forges it would."""
    try:
        about = json.loads(files["model.json"])
        del about["digest"]
        about["digest"] = _digest(about, files["arrays.npz"])
    except (ValueError, KeyError, TypeError):
        return files
    return files | {"model.json": json.dumps(about).encode()}


def _folder(target: str) -> str:
    return "graphs" if target == "command" else target


def _renamed(name: str, source: Path, rng: random.Random) -> str:
    suffixes = [".csv", ".txt", ".col", ".gml", ".mtx", ".npz", ".pt", ".json", ".hg", ""]
    return name if source.is_dir() else "renamed" + rng.choice(suffixes)


def attempt(case: Case) -> Outcome:
    """Run a case in a child process and say how it ended."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        for name, data in case.files.items():
            (folder / name).write_bytes(data)
        path = folder if len(case.files) > 1 or case.target == "models" else folder / name
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _limit()
            os.write(writing, _report(case.target, path).encode("utf-8", "replace")[:60_000])
            os._exit(0)
        os.close(writing)
        with open(reading, "rb") as pipe:
            said = pipe.read().decode("utf-8", "replace")
        _, status = os.waitpid(child, 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return Outcome("hang" if number == signal.SIGPROF else "crash", signal.Signals(number).name)
    kind, _, detail = said.partition("\n")
    return Outcome(kind or "crash", detail)


def _limit() -> None:
    faulthandler.disable()  # pytest's would report the crashes of children
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    with open("/proc/self/statm") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 2)


def _report(target: str, path: Path) -> str:
    try:
        TARGETS[target](path)
    except LovaszError as error:
        if "\n" in str(error) or len(str(error)) > 1000:
            return f"raw\nmessage of several lines or too long: {str(error)[:2000]!r}"
        return f"refused\n{error}"
    except BaseException:
        return f"raw\n{traceback.format_exc()}"
    return "read\n"


def attack(count: int, seed: int, out: Path | None, only: str | None = None) -> Counter[str]:
    """Try ``count`` cases, save the findings in ``out``, and return how the cases ended."""
    ends: Counter[str] = Counter()
    for number, case in enumerate(cases(count, seed, only)):
        outcome = attempt(case)
        ends[f"{case.target}: {outcome.kind}"] += 1
        if outcome.kind not in ("read", "refused") and out is not None:
            place = out / f"{seed}-{number}-{outcome.kind}"
            place.mkdir(parents=True, exist_ok=True)
            for name, data in case.files.items():
                (place / name).write_bytes(data)
            (place / "reason.txt").write_text(f"{case.target} {case.name}\n{outcome.detail}\n")
    return ends


def main() -> None:
    """Attack from the command line; exit with 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(TARGETS))
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    options = parser.parse_args()
    ends = attack(options.count, options.seed, options.out, options.only)
    for end, times in sorted(ends.items()):
        print(f"{times:8} {end}")
    bad = sum(times for end, times in ends.items() if not end.endswith(("read", "refused")))
    print(f"{bad} findings" + (f" in {options.out}" if bad else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

"""Mutated files through every reader, in forked children with limits on memory and time.

    python -m tests.fuzz.harness 10000 --seed 0 --out findings

A finding is a case that ends in anything but success or a :class:`LovaszError` of one line. Its
file is written to the folder ``--out``, with the reason beside it.
"""

import argparse
import contextlib
import faulthandler
import io
import itertools
import json
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tests.fuzz.mutations import mutate, pack, saved
from tests.fuzz.targets import TARGETS

from lovasz import LovaszError
from lovasz.base.compiled import PLAIN
from lovasz.classify.storage import _digest
from lovasz.verification.proof_file import digest

CORPUS = Path(__file__).parent / "corpus"
"""The folder with one folder of good files per target."""

SECONDS = 10.0
"""CPU seconds after which a case counts as hanging."""

MEMORY = 2 << 30
"""Number of bytes that the cases of a child may allocate."""

BATCH = 50
"""Number of cases that a child tries, one after the other, unless one of them ends it."""

QUICK = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""The folder for damaged files: in memory where there is such a one."""

SLOW = ("command", "batches")
"""The targets that solve, and get a tenth of the cases of one that only reads."""

FOLDERS = ("models", "proofs", "batches")
"""The targets that take a folder."""


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
    shares = [1 if target in SLOW else 10 for target in corpus]
    for _ in range(count):
        target = rng.choices(list(corpus), shares)[0]
        source = rng.choice(corpus[target])
        inside = sorted(source.iterdir()) if source.is_dir() else [source]
        files = {path.name: path.read_bytes() for path in inside}
        others = [path.read_bytes() for path in corpus[target] if path.is_file()]
        hit = rng.choice([name for name in files if name != "graph.csv"])
        files[hit] = mutate(files[hit], others or list(files.values()), rng)
        if target in SIGN and rng.random() < 0.7:
            files = SIGN[target](files)
        if rng.random() < 0.1:  # files travel under any name
            files = {_renamed(name, source, rng): data for name, data in files.items()}
        yield Case(target, source.name, files)


def sign_model(files: dict[str, bytes]) -> dict[str, bytes]:
    """Give a damaged model the right digest, as someone who forges it would."""
    try:
        about = json.loads(files["model.json"])
        del about["digest"]
        about["digest"] = _digest(about, files["arrays.npz"])
    except (ValueError, KeyError, TypeError):
        return files
    return files | {"model.json": json.dumps(about).encode()}


def sign_proof(files: dict[str, bytes]) -> dict[str, bytes]:
    """Give a damaged proof the right digests, as someone who forges it would."""
    try:
        with np.load(io.BytesIO(files["proof.npz"]), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files if name != "digest"}
        arrays["digest"] = digest(arrays)
    except Exception:  # damaged beyond repair
        return files
    members = {f"{name}.npy": saved(array) for name, array in arrays.items()}
    return files | {"proof.npz": pack(members)}


SIGN = {"models": sign_model, "proofs": sign_proof}
"""What makes a damaged folder of a target look whole."""


def _folder(target: str) -> str:
    return "graphs" if target == "command" else target


def _renamed(name: str, source: Path, rng: random.Random) -> str:
    suffixes = [".csv", ".txt", ".col", ".gml", ".mtx", ".npz", ".pt", ".json", ".hg", ""]
    return name if source.is_dir() else "renamed" + rng.choice(suffixes)


def attempt(case: Case) -> Outcome:
    """Run a case in a child process and say how it ended."""
    return attempt_all([case])[0]


def attempt_all(batch: Sequence[Case]) -> list[Outcome]:
    """Run cases one after the other in a child process, and the rest in a new one if it dies."""
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=QUICK, ignore_cleanup_errors=True) as home:
        paths = [_placed(case, Path(home) / str(k)) for k, case in enumerate(batch)]
        while (done := len(outcomes)) < len(batch):
            outcomes += _in_child(batch[done:], paths[done:])
    return outcomes


def _placed(case: Case, folder: Path) -> Path:
    folder.mkdir()
    for name, data in case.files.items():
        (folder / name).write_bytes(data)
    whole = len(case.files) > 1 or case.target in FOLDERS
    return folder if whole else folder / next(iter(case.files))


def _in_child(batch: Sequence[Case], paths: Sequence[Path]) -> list[Outcome]:
    """Say how the cases ended up to the one that ends the child, if there is one."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _limit()
        with open(writing, "w", encoding="utf-8") as pipe:
            for case, path in zip(batch, paths, strict=True):
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                kind, _, detail = _report(case.target, path).partition("\n")
                print(json.dumps([kind, detail[:20_000]]), file=pipe, flush=True)
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        outcomes = [Outcome(*json.loads(line)) for line in pipe if line.endswith("\n")]
    _, status = os.waitpid(child, 0)
    if len(outcomes) < len(batch):
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        name = signal.Signals(number).name if number else f"ended with {status}"
        outcomes.append(Outcome("hang" if number == signal.SIGPROF else "crash", name))
    return outcomes


def _limit() -> None:
    faulthandler.disable()  # pytest's would report the crashes of children
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
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
    if only in (None, *SLOW):
        _compile()
    numbered = enumerate(cases(count, seed, only))
    while batch := list(itertools.islice(numbered, BATCH)):
        outcomes = attempt_all([case for _, case in batch])
        for (number, case), outcome in zip(batch, outcomes, strict=True):
            ends[f"{case.target}: {outcome.kind}"] += 1
            if outcome.kind not in ("read", "refused") and out is not None:
                _save(out / f"{seed}-{number}-{outcome.kind}", case, outcome)
    return ends


def _compile() -> None:
    """Run the good cases of the slow targets, so that children find all functions compiled.

    With no plain steps left, each function that is reached is compiled now, and not in a child
    whose file has more graphs.
    """
    allowed, PLAIN.left = PLAIN.left, -1.0
    for target in SLOW:
        for source in sorted((CORPUS / _folder(target)).iterdir()):
            inside = sorted(source.iterdir()) if source.is_dir() else [source]
            files = {path.name: path.read_bytes() for path in inside}
            with tempfile.TemporaryDirectory() as home, contextlib.suppress(LovaszError):
                TARGETS[target](_placed(Case(target, source.name, files), Path(home) / "good"))
    PLAIN.left = allowed


def _save(place: Path, case: Case, outcome: Outcome) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for name, data in case.files.items():
        (place / name).write_bytes(data)
    (place / "reason.txt").write_text(f"{case.target} {case.name}\n{outcome.detail}\n")


def main() -> None:
    """Attack from the command line; exit with 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(TARGETS))
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    options = parser.parse_args()
    ends = attack(options.count, options.seed, options.out, options.only)
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(used.ru_utime + used.ru_stime for used in usage)
    which = f" of {options.only}" if options.only else ""
    print(f"{options.count} cases{which}, seed {options.seed}, {seconds:.0f} CPU s")
    for end, times in sorted(ends.items()):
        print(f"{times:8} {end}")
    bad = sum(times for end, times in ends.items() if not end.endswith(("read", "refused")))
    print(f"{bad} findings" + (f" in {options.out}" if bad else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()

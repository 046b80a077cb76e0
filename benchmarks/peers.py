"""ϑ beside the solvers people use for it: SCS, Clarabel and CSDP's theta program.

    python benchmarks/peers.py [--largest 300] [--only gnp paley-61 …] [--limit 300] [--json FILE]

Ours is ``lovasz.theta(graph, tol=1e-6)``, which proves its interval; the peers return a number,
asked for to 1e-6, and "error" is how far it lies outside our interval, relative to ϑ ("in":
not at all). SCS and Clarabel are called directly, without a modelling language, on
min t with tI + Σ y_e B_e − J ⪰ 0, one variable per edge; see solve.py for their settings and
for what is timed. Each solver runs each graph in a fresh process, on one thread, with 12 GiB.

A peer that failed on a graph is not tried on larger ones of the family ("n/r"). An answer more
than 1e-5 outside is marked "!" and is no answer. "ratio" is the fastest peer over ours; with
">" no peer finished, and the time limit stands in for it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

from instances import SEED, build
from solve import OURS, TOL, Cell, core_type, measure

PEERS = ("SCS", "Clarabel", "CSDP")
SIZES = (20, 50, 100, 150, 200, 300, 500, 700, 1000, 2000)
FAMILIES = {
    "cycle": ["cycle-5"],
    "petersen": ["petersen"],
    "paley": [f"paley-{q}" for q in (61, 101, 197, 401)],
    "caveman": ["caveman-50-10"],
    "hamming": ["hamming-9-8"],
    "gnp": [f"gnp-{n}" for n in SIZES],
    "sbm": [f"sbm-{n}" for n in SIZES],
}
LARGEST_FOR_PEERS = 1000
WRONG = 1e-5
INSTALL = "apt-get install coinor-csdp libopenblas0-pthread"


@dataclass
class Row:
    """One graph, and what each solver made of it."""

    name: str
    n: int
    m: int
    limit: float
    cells: dict[str, Cell] = field(default_factory=dict)

    @property
    def ours(self) -> Cell:
        return self.cells[OURS]

    @property
    def proven(self) -> bool:
        """Whether ours came to the accuracy asked for."""
        ours = self.ours
        return ours.seconds is not None and ours.upper - ours.lower <= TOL * ours.upper

    def error(self, peer: str) -> float:
        """How far the answer of a peer lies outside our interval, relative to ϑ."""
        value = self.cells[peer].lower
        return max(self.ours.lower - value, value - self.ours.upper, 0) / self.ours.upper

    def ratio(self) -> tuple[float, bool] | None:
        """Fastest peer over ours, and whether that is only a bound from below."""
        if self.ours.seconds is None:
            return None
        peers = [(peer, cell) for peer, cell in self.cells.items() if peer != OURS]
        times = [
            cell.seconds for peer, cell in peers
            if cell.seconds is not None and not self.error(peer) > WRONG
        ]  # fmt: skip
        if times:
            return min(times) / self.ours.seconds, False
        if any(cell.note.startswith(">") for _, cell in peers):
            return self.limit / self.ours.seconds, True
        return None


@dataclass(frozen=True)
class Target:
    """What was asked for, and of which rows."""

    text: str
    factor: float
    concerns: Callable[[Row], bool]


TARGETS = (
    Target("never slower than the best peer from n = 20 up", 1, lambda row: row.n >= 20),
    Target("5 times the best peer from n = 200 up", 5, lambda row: row.n >= 200),
    Target(
        "100 times on caveman, Hamming and Paley graphs", 100,
        lambda row: row.name.startswith(("caveman", "hamming", "paley")),
    ),
)  # fmt: skip


def main() -> None:
    options = arguments()
    csdp = find_csdp(options.csdp)
    peers = [peer for peer in PEERS if peer != "CSDP" or csdp]
    print("\n".join(conditions(csdp, options)), "\n")
    heads = "".join(f"{peer + ' s':>13}{'error':>8}" for peer in peers)
    print(f"{'graph':14}{'n':>5}{'m':>8}  {'ϑ, proven':25}{'ours s':>9}{heads}{'ratio':>9}")
    rows: list[Row] = []
    for names in FAMILIES.values():
        stopped: set[str] = set()
        for name in names:
            if not wanted(name, options):
                continue
            row = fill(name, peers, stopped, csdp, options)
            stopped |= {peer for peer in peers if row.cells[peer].seconds is None}
            rows.append(row)
            print(line(row, peers), flush=True)
    notes = footnotes(rows)
    print("", *notes, *[verdict(target, rows) for target in TARGETS], sep="\n")
    if options.json:
        save(options.json, rows, csdp, options)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", metavar="NAME", help="families or graphs")
    parser.add_argument("--largest", type=int, default=max(SIZES), help="nodes")
    parser.add_argument("--limit", type=float, default=300, help="seconds per solve")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--csdp", help="CSDP's theta program; else csdp-theta on the PATH")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    known = {*FAMILIES, *(name for names in FAMILIES.values() for name in names)}
    for name in options.only or ():
        if name not in known:
            parser.error(f"unknown graph {name!r}; families: {', '.join(FAMILIES)}")
    if options.repeats < 1 or options.limit <= 0:
        parser.error("--repeats and --limit must be positive")
    return options


def wanted(name: str, options: argparse.Namespace) -> bool:
    if options.only and not {name, name.partition("-")[0]} & set(options.only):
        return False
    return build(name).n <= options.largest


def find_csdp(given: str | None) -> str:
    """Path of CSDP's theta program, or "". Not the command ``theta``: Debian's is DSDP's."""
    found = shutil.which(given or "csdp-theta")
    if given and not found:
        sys.exit(f"--csdp {given}: no such program")
    return os.path.abspath(found) if found else ""


def conditions(csdp: str, options: argparse.Namespace) -> list[str]:
    """Under what the numbers were taken."""
    kind = core_type().get("OPENBLAS_CORETYPE")
    versions = ", ".join(f"{name} {version(name)}" for name in ("lovasz", "scs", "clarabel"))
    lines = [
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}",
        "one thread for every solver (OMP, OpenBLAS, MKL, numba, rayon); "
        + (f"peers with OPENBLAS_CORETYPE={kind}" if kind else "OPENBLAS_CORETYPE not set"),
        f"accuracy 1e-6; median of {options.repeats}, of five times as many below 1 s, "
        "one run above 30 s; "
        f"limit {options.limit:g} s and 12 GiB; random graphs with seed {SEED}; "
        "imports and a first call on G(20, ½) not timed",
    ]
    if not csdp:
        lines.append(f"CSDP left out: csdp-theta not found; {INSTALL} (Debian), or --csdp FILE")
    elif not fast_blas(csdp):
        lines.append(f"CSDP runs on a slow reference BLAS, not a fair figure: {INSTALL}")
    return lines


def processor() -> str:
    """The processor's name, and whether it has AVX-512."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return (names or [platform.machine()])[0] + (" (AVX-512)" if "avx512f" in text else "")


def fast_blas(program: str) -> bool:
    """Whether the program's BLAS is an optimised one; true where that cannot be told."""
    try:
        listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    except OSError:
        return True
    paths = [line.split()[2] for line in listed.splitlines() if "libblas" in line and "=>" in line]
    real = [os.path.realpath(path) for path in paths]
    return all(any(kind in path for kind in ("openblas", "mkl", "atlas", "blis")) for path in real)


def fill(
    name: str, peers: list[str], stopped: set[str], csdp: str, options: argparse.Namespace
) -> Row:
    """Run every solver on one graph, those in ``stopped`` excepted."""
    graph = build(name)
    row = Row(name, graph.n, graph.m, options.limit)
    for side in (OURS, *peers):
        if side in stopped or (side != OURS and graph.n > LARGEST_FOR_PEERS):
            row.cells[side] = Cell(note="n/r")
        else:
            row.cells[side] = measure(
                side, name, repeats=options.repeats, limit=options.limit, csdp=csdp
            )
    return row


def line(row: Row, peers: list[str]) -> str:
    ours = row.ours
    interval, mark = "–", " "
    if ours.seconds is not None:
        low, high = outward(ours.lower, ours.upper)
        interval, mark = f"[{low}, {high}]", " " if row.proven else "*"
    cells = ""
    for peer in peers:
        cell = row.cells[peer]
        if cell.seconds is None or ours.seconds is None:
            error = ""
        else:
            off = row.error(peer)
            error = ("!" if off > WRONG else "") + (f"{off:.0e}" if off else "in")
        cells += f"{shown(cell):>13}{error:>8}"
    found = row.ratio()
    ratio = "–" if found is None else f"{'>' if found[1] else ''}{three(found[0])}"
    return f"{row.name:14}{row.n:5}{row.m:8}  {interval:25}{shown(ours):>8}{mark}{cells}{ratio:>9}"


def shown(cell: Cell) -> str:
    """Seconds to three digits, or why there are none."""
    if cell.seconds is None:
        return cell.note if len(cell.note) <= 8 else "failed"
    return three(cell.seconds)


def three(number: float) -> str:
    """Three digits, and never an exponent above 1."""
    return f"{number:.3g}" if number < 999 else f"{number:.0f}"


def outward(lower: float, upper: float) -> tuple[str, str]:
    """Bounds printed with six decimals, rounded so that they stay bounds."""
    low, high = math.floor(lower * 1e6) / 1e6, math.ceil(upper * 1e6) / 1e6
    return f"{low:.6f}", f"{high:.6f}"


def footnotes(rows: list[Row]) -> list[str]:
    """What did not fit into the cells."""
    notes = [
        f"{row.name}, {side}: {cell.note}"
        for row in rows
        for side, cell in row.cells.items()
        if len(cell.note) > 8
    ]
    if any(row.ours.seconds is not None and not row.proven for row in rows):
        notes.append("* the interval is wider than 1e-6")
    return [*notes, ""] if notes else []


def verdict(target: Target, rows: list[Row]) -> str:
    """Whether a target was met, and where not."""
    asked = [row for row in rows if target.concerns(row)]
    known = [(row, found[0]) for row in asked if (found := row.ratio())]
    missed = [f"{row.name} not proven" for row in asked if not row.proven]
    missed += [
        f"{row.name} {three(ratio)}" for row, ratio in known if ratio < target.factor and row.proven
    ]
    if not known and not missed:
        return f"{target.text}: nothing measured"
    alone = len(asked) - len(known)
    rest = f"; {alone} without a peer's time" if alone else ""
    if missed:
        return f"{target.text}: NOT met by {', '.join(missed)} ({len(asked)} graphs{rest})"
    worst, least = min(known, key=lambda pair: pair[1])
    return f"{target.text}: met, least {three(least)} on {worst.name} ({len(asked)} graphs{rest})"


def save(path: Path, rows: list[Row], csdp: str, options: argparse.Namespace) -> None:
    """The table for machines."""
    table = [
        {
            "graph": row.name, "n": row.n, "m": row.m, "proven": row.proven,
            "ratio": (row.ratio() or (None,))[0],
            "solvers": {side: tidy(cell) for side, cell in row.cells.items()},
            "errors": {
                side: row.error(side) for side, cell in row.cells.items()
                if side != OURS and None not in (cell.seconds, row.ours.seconds)
            },
        }
        for row in rows
    ]  # fmt: skip
    document = {
        "conditions": conditions(csdp, options),
        "verdicts": [verdict(target, rows) for target in TARGETS],
        "rows": table,
    }
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def tidy(cell: Cell) -> dict[str, object]:
    """A cell without what it does not have: NaN is not JSON."""
    return {
        key: value
        for key, value in asdict(cell).items()
        if value not in ("", None) and not (isinstance(value, float) and math.isnan(value))
    }


if __name__ == "__main__":
    main()

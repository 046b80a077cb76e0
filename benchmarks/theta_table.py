"""The page of proven values of ϑ beside published ones, ``docs/theta-table.md``.

    LOVASZ_DATA=… python benchmarks/theta.py --all --json ROWS --tol 1e-6
    python benchmarks/theta_table.py --merge ROWS …

``theta.jsonl`` keeps one row per graph. ``--merge`` adds the rows of other files, written on this
machine or another one, and keeps the narrower interval of each graph; without it the page is
written from the rows that are there. ``published_theta.csv`` holds the values that others quote.
The page also lists the proofs in ``docs/proofs``, which the last of these commands makes:

    LOVASZ_DATA=… python benchmarks/theta.py --all --tol 1e-6 --time-limit 8 --proofs docs/proofs
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lovasz.base.files import atomic
from lovasz.base.rounding import format_down, format_up
from theta import read_rows

HERE = Path(__file__).parent
"""The folder of this file."""
ROWS = HERE / "theta.jsonl"
"""The rows of the page."""
PUBLISHED = HERE / "published_theta.csv"
"""The values that others quote."""
PAGE = HERE.parent / "docs" / "theta-table.md"
"""The page."""
PROOFS = HERE.parent / "docs" / "proofs"
"""The folder of the proofs that are small enough to be shipped."""
DECIMALS = 7
"""Number of decimals of the bounds on the page, which are rounded outwards."""
ACCURACY = 1e-9
"""Relative difference that counts as none between an exact quoted value and our interval."""
SECTIONS = {
    "sloane": "Sloane's graphs of codes",
    "sdplib": "SDPLIB",
    "hamming_sdp": "Hamming graphs of the seventh DIMACS challenge",
    "gset": "G-set",
    "clique": "DIMACS clique graphs",
    "coloring": "DIMACS colouring graphs",
}
"""The headings of the page, by the folder that the graphs are in."""
SOURCES = {
    "ZST": "X.-Y. Zhao, D. Sun, K.-C. Toh, SIAM J. Optim. 20 (2010) 1737–1765, table of theta "
    "problems. **Quoted from memory: the table could not be opened when this page was made.**",
    "VSDP": "VSDP (2018-12) with MOSEK 8.1 on 8 cores of a Xeon E5-2640 v3: the only other proven "
    "intervals. Gap and seconds (solver and both bounds) are VSDP's.",
    "SDPLIB": "README of SDPLIB 1.2.",
    "DIMACS7": "README of the seventh DIMACS challenge; exact values.",
    "rounding": "`experiment results.md` of the repository ivanightingale/stable-set-rounding, "
    "which solved the complements of the files.",
}
"""What stands at the end of the page about each source."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--merge", type=Path, nargs="*", default=[], metavar="FILE")
    options = parser.parse_args()
    rows = merged([ROWS, *options.merge])
    with atomic(ROWS) as temporary:
        temporary.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with atomic(PAGE) as temporary:
        temporary.write_text(page(rows, quoted_values(), sorted(PROOFS.glob("*.npz"))))
    print(f"{PAGE.name}: {len(rows)} rows")


def merged(paths: list[Path]) -> list[dict[str, Any]]:
    """The narrowest row of each graph; of two that are equally narrow, the faster."""
    best: dict[tuple[str, str], dict[str, Any]] = {}
    for row in (row for path in paths for row in read_rows(path)):
        key = row["graph"], row["of"]
        if key not in best or rank(row) < rank(best[key]):
            best[key] = row
    return sorted(best.values(), key=lambda row: (row["n"], row["m"], row["graph"], row["of"]))


def rank(row: dict[str, Any]) -> tuple[bool, float, bool, float]:
    """The smaller, the better; widths that differ by rounding only count as equal."""
    width = 0.0 if row.get("exact") else (row["upper"] - row["lower"]) / row["upper"]
    return row["certificate"] != "proven", round(width, 9), not row.get("exact"), row["seconds"]


def quoted_values() -> dict[tuple[str, str], list[dict[str, str]]]:
    """The published rows of each graph."""
    quoted: dict[tuple[str, str], list[dict[str, str]]] = {}
    with open(PUBLISHED, newline="") as file:
        for row in csv.DictReader(file):
            quoted.setdefault((row["graph"], row["of"]), []).append(row)
    return quoted


def page(
    rows: list[dict[str, Any]],
    quoted: dict[tuple[str, str], list[dict[str, str]]],
    proofs: list[Path],
) -> str:
    """The page as Markdown."""
    told = [(row, other) for row in rows for other in quoted.get((row["graph"], row["of"]), [])]
    outside = [row["graph"] for row, other in told if is_outside(row, other)]
    open_rows = [row["graph"] for row in rows if row["status"] != "optimal"]
    lines = [
        "# Proven values of ϑ beside published ones",
        "",
        "This page is written by `python benchmarks/theta_table.py`; its docstring has the command "
        "that measures the rows.",
        "",
        "Every interval provably contains ϑ, rounding included. Bounds are rounded outwards. "
        '"s" is the time of `lovasz.theta` on the machine named beside it. A quoted value is '
        "*outside* if it is further from our interval than a unit of its last decimal, so that it "
        "is neither rounded nor cut off from a number in it. n and m are those of the "
        "file, also where ϑ is that of its complement. Graphs solved by an association scheme or "
        "by orbits of words were compared with the family of their name, entry by entry, and the "
        "seconds are those of the family. "
        f"{len(rows)} rows, {len(told)} quoted values, {len(outside)} of them outside"
        f"{': ' + ', '.join(outside) if outside else ''}.",
    ]
    if open_rows:
        lines += ["", f"Not at the accuracy asked for: {', '.join(open_rows)}."]
    for folder, heading in SECTIONS.items():
        here = [row for row in rows if row["file"].startswith(f"{folder}/")]
        lines += ["", f"## {heading}", "", *table(here, quoted)]
    lines += ["", "## Proofs to check", "", *proof_table(rows, proofs)]
    used = sorted({other["source"] for _, other in told})
    lines += ["", "## Sources", "", *(f"- **{name}**: {SOURCES[name]}" for name in used)]
    return "\n".join(lines) + "\n"


def table(
    rows: list[dict[str, Any]], quoted: dict[tuple[str, str], list[dict[str, str]]]
) -> Iterator[str]:
    """The lines of one table."""
    yield "| graph | n | m | ϑ ≥ | ϑ ≤ | exactly | gap | s | on | by | quoted |"
    yield "|---|---:|---:|---:|---:|---|---:|---:|---|---|---|"
    for row in rows:
        name = f"complement of {row['graph']}" if row["of"] == "complement" else row["graph"]
        lower, upper = format_down(row["lower"], DECIMALS), format_up(row["upper"], DECIMALS)
        gap = (row["upper"] - row["lower"]) / row["upper"]
        sure = "" if row["certificate"] == "proven" else f" ({row['certificate']})"
        others = quoted.get((row["graph"], row["of"]), [])
        yield (
            f"| {name} | {row['n']:,} | {row['m']:,} | {lower} | {upper}{sure} "
            f"| {row.get('exact', '')} | {gap:.0e} "
            f"| {row['seconds']:.2f} | {row['machine']} | {row['method']} "
            f"| {'; '.join(quote(row, other) for other in others)} |"
        )


def proof_table(rows: list[dict[str, Any]], proofs: list[Path]) -> Iterator[str]:
    """The lines of the table of shipped proofs."""
    files = {f"{row['graph']}.{row['of']}": row for row in rows}
    yield (
        f"{len(proofs)} proofs are small enough to be shipped. They were made by a run of their "
        "own, so their bounds may differ from those above in the last decimals. `lovasz verify "
        "graph.col proof.npz` checks one against the file of its graph, also where ϑ is that of "
        "the complement, by [a checker that shares no code with the solvers]"
        "(howto/certificates.md)."
    )
    yield ""
    yield "| graph | ϑ ≥ | ϑ ≤ | exactly | KiB | proof |"
    yield "|---|---:|---:|---|---:|---|"
    for path in sorted(proofs, key=lambda path: (files[path.stem]["n"], path.name)):
        row = files[path.stem]
        with np.load(path) as archive:
            lower, upper = archive["claim"].tolist()
            exact = row.get("exact", "") if len(archive["exact"]) else ""
        name = f"complement of {row['graph']}" if row["of"] == "complement" else row["graph"]
        yield (
            f"| {name} | {format_down(lower, DECIMALS)} | {format_up(upper, DECIMALS)} "
            f"| {exact} | {path.stat().st_size / 1024:.1f} "
            f"| [{path.name}](proofs/{path.name}) |"
        )


def quote(row: dict[str, Any], other: dict[str, str]) -> str:
    """A published value with its source, its gap and seconds if it has any, and the verdict."""
    more = f", gap {other['gap']}, {other['seconds']} s" if other["gap"] else ""
    verdict = ", **outside**" if is_outside(row, other) else ""
    return f"{other['value']} ({other['source']}{more}{verdict})"


def is_outside(row: dict[str, Any], other: dict[str, str]) -> bool:
    """Whether the quoted value is further from our interval than a unit of its last decimal.

    Some values were rounded and others cut off. A value without decimals is taken as exact.
    """
    decimals = len(other["value"].partition(".")[2])
    unit = 10.0**-decimals if decimals else 0.0
    value, slack = float(other["value"]), unit + ACCURACY * row["upper"]
    return not row["lower"] - slack <= value <= row["upper"] + slack


if __name__ == "__main__":
    main()

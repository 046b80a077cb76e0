"""ϑ on the graphs with known values: our proven interval, its gap and time, beside the known one.

    LOVASZ_DATA=… python benchmarks/theta.py [--time-limit 60] [--largest 5000] [--only NAME …]
    LOVASZ_DATA=… python benchmarks/theta.py --all --json FILE [--tol 1e-6] [--budget 600]
    LOVASZ_DATA=… python benchmarks/theta.py --all --tol 1e-6 --time-limit 8 --proofs docs/proofs

``theta_known.csv`` says whether the number belongs to the graph in the file or to its
complement. Rows whose graph is not staged or whose source is marked as unconfirmed are left out
and counted; ``--only`` and ``--all`` take those, too, and the graphs without a known value. A row
passes when the intervals overlap and the gap is at most 1e-6 (up to 500 nodes) or 1e-4 (above).

``--json`` adds one line per row to a file, which ``theta_table.py`` makes a page of; rows that the
file has already are not run again. After ``--budget`` seconds no other row is started. A row of
less than five seconds is run twice, and the second run, which compiles nothing, counts. With
``--all``, a file that is a symmetric family (1zc.2ⁿ, Hamming graphs), entry by entry, is solved as
that family, exactly.

``--proofs`` saves what ``lovasz verify`` checks, if it is no larger than ``LARGEST_PROOF``; graphs
that are symmetric families are then solved as the graphs in their files.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

from lovasz import Graph, read_graph
from lovasz.base.device import pick_device_name
from lovasz.graphs import families
from lovasz.graphs.operations import complement_of
from lovasz.graphs.symmetric_graph import SymmetricGraph
from lovasz.number import Theta, theta

LARGEST_PROOF = 16_384
"""Number of bytes of the largest proof that is kept."""
TWICE_UP_TO = 5.0
"""Seconds up to which a row is run a second time."""


def main() -> None:
    options = arguments()
    folder = graph_folder()
    rows = known_rows(folder)
    staged = [row for row in rows if (folder / row["file"]).is_file()]
    usable = [row for row in staged if confirmed(row)]
    if options.all or options.only:
        usable = staged + unknown_rows(folder, rows)
    chosen = [row for row in usable if options.smallest <= int(row["n"]) <= options.largest]
    if options.only:
        chosen = [row for row in usable if row["graph"] in options.only]
    done = {(row["graph"], row["of"]) for row in read_rows(options.json)} if options.json else set()
    chosen = [row for row in chosen if (row["graph"], row["theta_of"]) not in done]
    print(f"{len(rows)} rows, {len(usable)} usable and staged, {len(chosen)} chosen\n")
    print(
        f"{'graph':24}{'of':>5}{'n':>6}{'m':>8}{'known':>13}{'lower':>16}{'upper':>16}{'gap':>9}{'s':>7}"
    )
    until = time.monotonic() + options.budget
    missed, run_rows = [], 0
    for row in sorted(chosen, key=size):
        if time.monotonic() < until:
            run_rows += 1
            missed += [] if run(row, folder, options) else [row["graph"]]
    print(f"\n{run_rows - len(missed)} of {len(chosen)} pass")
    if run_rows < len(chosen):
        print(f"{len(chosen) - run_rows} not begun within {options.budget:g} s")
    if missed:
        print("not:", ", ".join(missed))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--smallest", type=int, default=1)
    parser.add_argument("--largest", type=int, default=5000)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--tol", type=float, help="1e-6 up to 500 nodes and 1e-4 above, if absent")
    parser.add_argument("--budget", type=float, default=float("inf"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--proofs", type=Path, metavar="FOLDER")
    parser.add_argument("--device", default="auto")
    return parser.parse_args()


def graph_folder() -> Path:
    """The folder of the graphs."""
    if "LOVASZ_DATA" not in os.environ:
        sys.exit("set LOVASZ_DATA to the folder that holds graphs/theta_known.csv")
    return Path(os.environ["LOVASZ_DATA"]) / "graphs"


def known_rows(folder: Path) -> list[dict[str, str]]:
    """The rows of ``theta_known.csv``."""
    with open(folder / "theta_known.csv", newline="") as file:
        return list(csv.DictReader(file))


def unknown_rows(folder: Path, known: list[dict[str, str]]) -> list[dict[str, str]]:
    """Rows for the graphs without a known value: of the complement where it bounds cliques."""
    there = {row["file"] for row in known}
    with open(folder / "INDEX.csv", newline="") as file:
        index = [row for row in csv.DictReader(file) if row["file"] not in there]
    blank = {"theta": "", "source": "", "computed_lower": "", "computed_upper": ""}
    return [
        blank
        | {"graph": row["graph"], "file": row["file"], "n": row["n"], "m": row["m_distinct_edges"]}
        | {"theta_of": "complement" if row["file"].startswith(("clique", "color")) else "graph"}
        for row in index
    ]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON-lines file; a last line that was cut short is left out."""
    if not path.is_file():
        return []
    whole = [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return [json.loads(line) for line in whole]


def size(row: dict[str, str]) -> int:
    return int(row["n"])


def confirmed(row: dict[str, str]) -> bool:
    return "unconfirmed" not in row["source"].lower()


def run(row: dict[str, str], folder: Path, options: argparse.Namespace) -> bool:
    """One line of the table; whether the row passes."""
    n = int(row["n"])
    wanted = options.tol or (1e-6 if n <= 500 else 1e-4)
    complement = row["theta_of"] == "complement"
    graph: Any = read_graph(folder / row["file"], weights="drop")
    as_family = options.all and not options.proofs
    if as_family and (found := family(row["graph"], graph, complement)) is not None:
        graph, complement = found, False
    for _ in range(2):
        result = theta(
            graph, tol=wanted, complement=complement, device=options.device,
            time_limit=options.time_limit,
        )  # fmt: skip
        if result.seconds > TWICE_UP_TO:
            break
    if options.json:
        with open(options.json, "a") as file:
            file.write(json.dumps(as_record(row, result, options.device)) + "\n")
    if options.proofs:
        save_proof(result, options.proofs / f"{row['graph']}.{row['theta_of']}.npz")
    low, high = interval(row)
    fine = result.gap <= wanted and result.lower <= high and low <= result.upper
    known = row["theta"] or (f"{(low + high) / 2:.3f}" if low > -1e300 else "")
    print(
        f"{row['graph']:24}{row['theta_of'][:5]:>5}{n:6}{int(row['m']):8}{known[:12]:>13}"
        f"{result.lower:16.8f}{result.upper:16.8f}{result.gap:9.0e}{result.seconds:7.1f}"
        f"  {'' if fine else 'MISSED '}{result.method}",
        flush=True,
    )
    return fine


def family(name: str, graph: Graph, complement: bool) -> SymmetricGraph | None:
    """The family that the graph, or its complement, is, rows in the same order; else None."""
    if zc := re.fullmatch(r"1zc\.(\d+)", name):
        found = families.z_channel(int(zc[1]).bit_length() - 1)
    elif sdp := re.fullmatch(r"hamming_(\d+)((?:_\d+)+)", name):
        found = families.hamming(int(sdp[1]), map(int, sdp[2][1:].split("_")))
    elif clique := re.fullmatch(r"hamming(\d+)-(\d+)(\.complement)?", name):
        found = families.hamming(int(clique[1]), range(1, int(clique[2])))
    else:
        return None
    solved = complement_of(graph) if complement else graph
    same = (found.to_graph().adjacency != solved.adjacency).nnz == 0
    return found if same else None


def save_proof(result: Theta, path: Path) -> None:
    """Save the proof of a result that is as accurate as was asked for, if the file is small."""
    if result.status == "optimal" and result.certificate == "proven":
        path.parent.mkdir(parents=True, exist_ok=True)
        result.save(path)
        if path.stat().st_size > LARGEST_PROOF:
            path.unlink()


def as_record(row: dict[str, str], result: Theta, device: str) -> dict[str, Any]:
    """One line of the JSON file."""
    return {
        "graph": row["graph"], "of": row["theta_of"], "file": row["file"],
        "n": int(row["n"]), "m": int(row["m"]), "lower": result.lower, "upper": result.upper,
        "exact": result.exact or "",
        "certificate": result.certificate, "status": result.status,
        "seconds": round(result.seconds, 3), "method": result.method, "machine": machine(device),
    }  # fmt: skip


def machine(device: str) -> str:
    """What the solver ran on: the name of the GPU, or the number of threads of the CPU."""
    if pick_device_name(device).startswith("cuda"):
        import torch

        return str(torch.cuda.get_device_name())
    threads = os.environ.get("OMP_NUM_THREADS") or str(os.cpu_count())
    return f"CPU, {threads} thread" + ("s" if threads != "1" else "")


def interval(row: dict[str, str]) -> tuple[float, float]:
    """The known bounds; a value printed with d decimals is known to half a unit of the last."""
    low = float(row["computed_lower"] or "-inf")
    high = float(row["computed_upper"] or "inf")
    if row["theta"]:
        decimals = len(row["theta"].partition(".")[2])
        half = 0.51 * 10.0**-decimals if decimals else 1e-4
        low, high = max(low, float(row["theta"]) - half), min(high, float(row["theta"]) + half)
    slack = 1e-6 * max(abs(low), abs(high)) if low > -1e300 and high < 1e300 else 0
    return low - slack, high + slack


if __name__ == "__main__":
    main()

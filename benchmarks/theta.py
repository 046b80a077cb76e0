"""ϑ on the graphs with known values: our proven interval, its gap and time, beside the known one.

    LOVASZ_DATA=… python benchmarks/theta.py [--time-limit 60] [--largest 5000] [--only NAME …]

``theta_known.csv`` says whether the number belongs to the graph in the file or to its
complement. Rows whose graph is not staged or whose source is marked as unconfirmed are left out
and counted; ``--only`` takes those, too. A row passes when the intervals overlap and the gap is
at most 1e-6 (up to 500 nodes) or 1e-4 (above).
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from pathlib import Path

from lovasz import read_graph
from lovasz.number import theta


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--largest", type=int, default=5000)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    if "LOVASZ_DATA" not in os.environ:
        sys.exit("set LOVASZ_DATA to the folder that holds graphs/theta_known.csv")
    folder = Path(os.environ["LOVASZ_DATA"]) / "graphs"
    with open(folder / "theta_known.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    staged = [row for row in rows if (folder / row["file"]).is_file()]
    usable = [row for row in staged if confirmed(row)]
    chosen = [row for row in usable if int(row["n"]) <= options.largest]
    if options.only:
        chosen = [row for row in staged if row["graph"] in options.only]
    print(f"{len(rows)} rows, {len(usable)} confirmed and staged, {len(chosen)} chosen\n")
    print(
        f"{'graph':24}{'of':>5}{'n':>6}{'m':>8}{'known':>13}{'lower':>16}{'upper':>16}{'gap':>9}{'s':>7}"
    )
    missed = [row["graph"] for row in sorted(chosen, key=size) if not run(row, folder, options)]
    print(f"\n{len(chosen) - len(missed)} of {len(chosen)} pass")
    if missed:
        print("not:", ", ".join(missed))


def size(row: dict[str, str]) -> int:
    return int(row["n"])


def confirmed(row: dict[str, str]) -> bool:
    return "unconfirmed" not in row["source"].lower()


def run(row: dict[str, str], folder: Path, options: argparse.Namespace) -> bool:
    """One line of the table; whether the row passes."""
    n = int(row["n"])
    wanted = 1e-6 if n <= 500 else 1e-4
    graph = read_graph(folder / row["file"], weights="drop")
    start = time.perf_counter()
    result = theta(
        graph, tol=wanted, complement=row["theta_of"] == "complement", device=options.device,
        time_limit=options.time_limit,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    low, high = interval(row)
    fine = result.gap <= wanted and result.lower <= high and low <= result.upper
    known = row["theta"] or f"{(low + high) / 2:.3f}"
    print(
        f"{row['graph']:24}{row['theta_of'][:5]:>5}{n:6}{int(row['m']):8}{known[:12]:>13}"
        f"{result.lower:16.8f}{result.upper:16.8f}{result.gap:9.0e}{seconds:7.1f}"
        f"  {'' if fine else 'MISSED '}{result.method}",
        flush=True,
    )
    return fine


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

"""The table of numbers in the README, read from ``results/`` and ``benchmarks/``.

    python docs/scripts/readme_numbers.py

Rewrites the lines between the two ``numbers`` comments of README.md. Every number is taken from a
file that a command wrote; ``tests/test_readme.py`` fails if the README says something else.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARKS = "<!-- numbers: python docs/scripts/readme_numbers.py -->\n", "<!-- /numbers -->\n"
"""The comments around the table."""
DATASETS = ("cora", "citeseer", "pubmed")
"""The rows of the public citation networks."""


def main() -> None:
    """Write the table into the README."""
    readme = ROOT / "README.md"
    readme.write_text(insert(readme.read_text(encoding="utf-8")), encoding="utf-8")
    print(table())


def insert(readme: str) -> str:
    """The text of the README with the table of today's results."""
    before, _, rest = readme.partition(MARKS[0])
    return before + MARKS[0] + table() + MARKS[1] + rest.partition(MARKS[1])[2]


def table() -> str:
    """The table in Markdown."""
    rows = [*labelling_rows(), *theta_rows(), *structure_rows(), paper_row()]
    lines = [f"| {what} | {ours} | {others} |\n" for what, ours, others in rows]
    return "".join(["| measured | lovasz | beside it |\n", "|---|---|---|\n", *lines])


def labelling_rows() -> list[tuple[str, str, str]]:
    """Accuracies of the default classifier, where it leads and where it does not."""
    defaults = _link("accuracy", "results/reproduction.md#defaults")
    blocks, avoid = "3 blocks .7/.6", "3 blocks, heterophilous"
    ours, gcn = (
        " / ".join(_accuracy(dataset, method) for dataset in DATASETS) for method in ("auto", "GCN")
    )
    page = _defaults()
    even, rows = _found(r"below the best single method on (\d+) of (\d+) rows", page)
    behind = _found(r"It is behind on ([^\n]*)", page)[0]
    gaps = re.findall(r"([^\s;][^;]*?) by ([\d.]+) ± [\d.]+ points \(([^)]*)\)", behind)
    row, gap, method = max(gaps, key=lambda found: float(found[1]))
    return [
        (
            f"Three hidden blocks, edges .7 and .6, {defaults}",
            f"{_accuracy(blocks, 'auto')} %",
            f"GCN {_accuracy(blocks, 'GCN')}, Bayes rule {_accuracy(blocks, 'Bayes')} %",
        ),
        (
            "Blocks that avoid each other",
            f"{_accuracy(avoid, 'auto')} %",
            f"GCN {_accuracy(avoid, 'GCN')}, Bayes rule {_accuracy(avoid, 'Bayes')} %",
        ),
        ("Cora / Citeseer / Pubmed, public splits", f"{ours} %", f"GCN {gcn} %"),
        (
            f"Rows of {rows} on which no single method is ahead by more than the error",
            f"{even}",
            f"furthest ahead: {method} on {row}, by {gap} points",
        ),
    ]


def theta_rows() -> list[tuple[str, str, str]]:
    """Correctness and speed of ϑ."""
    passed, known = _found(r"(\d+) of (\d+) pass", _text("benchmarks/theta.txt"))
    ratios = [
        float(ratio)
        for size, ratio in re.findall(
            r"^(?:gnp|sbm)-(\d+) .* ([\d.]+)$", _text("benchmarks/README.md"), re.MULTILINE
        )
        if 200 <= int(size) <= 1000
    ]
    sparse = {
        nodes: _found(
            rf"tol 1e-05.*?mean degree 10 +{nodes} +[\d,]+ +[\d.]+ +(\S+) +([\d.]+) ",
            _text("benchmarks/sparse.txt"),
        )
        for nodes in ("10,000", "100,000")
    }
    huge = _found(
        r"device cuda.*?mean degree 10 +1,000,000 +5,000,000 +[\d.]+ +(\S+) +([\d.]+) ",
        _text("benchmarks/sparse.txt"),
    )
    return [
        (
            "Published values of ϑ " + _link("confirmed", "benchmarks/theta.txt"),
            f"{passed} of {known}",
            "–",
        ),
        (
            "ϑ of random graphs, 200 to 1,000 nodes, " + _link("one core", "benchmarks/README.md"),
            f"{min(ratios):.1f} to {max(ratios):.1f} times faster",
            "SCS, called directly",
        ),
        (
            "ϑ of a sparse random graph, "
            + _link("10,000 nodes, 50,000 edges", "benchmarks/sparse.txt")
            + ", two cores",
            f"{float(sparse['10,000'][1]):.1f} s, gap {sparse['10,000'][0]}",
            "–",
        ),
        (
            "ϑ of one with "
            + _link("100,000 nodes, 500,000 edges", "benchmarks/sparse.txt")
            + ", two cores",
            f"{float(sparse['100,000'][1]):.0f} s, gap {sparse['100,000'][0]}, probabilistic",
            "–",
        ),
        (
            "ϑ of one with "
            + _link("1,000,000 nodes, 5,000,000 edges", "benchmarks/sparse.txt")
            + ", on an H200",
            f"{float(huge[1]):.0f} s, gap {huge[0]}, probabilistic",
            "–",
        ),
    ]


def structure_rows() -> list[tuple[str, str, str]]:
    """Colourings and communities."""
    colors = _text("benchmarks/coloring.txt")
    graphs, worse, better, proven = _found(
        r"(\d+) graphs: more colours than the best of the others on (\d+), fewer on (\d+); "
        r"proven optimal (\d+)",
        colors,
    )
    graph = "citeseer"
    header = _text("benchmarks/communities.txt").splitlines()[0]
    methods = re.findall(r"(?:lovasz|vectors|spectral) k|lovasz|louvain|leiden", header)
    row = _found(rf"^{graph} [^\n]*", _text("benchmarks/communities.txt"))[0]
    scores = dict(zip(methods, re.findall(r"([\d.]+)±", row), strict=True))
    return [
        (
            f"Colours on {graphs} " + _link("DIMACS graphs", "benchmarks/coloring.txt"),
            f"fewer on {better}, more on {worse}; {proven} proven",
            "best of networkx and DSATUR",
        ),
        (
            "Communities of Citeseer, " + _link("agreement", "benchmarks/communities.txt"),
            scores["lovasz"],
            f"Leiden {scores['leiden']}",
        ),
    ]


def paper_row() -> tuple[str, str, str]:
    """How the paper's numbers compare with ours."""
    page = _text("results/reproduction.md")
    published, measured = _found(r"publishes (\d+) accuracies, and (\d+) of them", page)
    within, above, below = _found(
        r"(\d+) are within 2 points of the paper’s, (\d+) are higher and (\d+) are lower", page
    )
    return (
        f"The paper's {published} accuracies, " + _link("run again", "results/reproduction.md"),
        f"{measured} measured",
        f"{within} within 2 points, {above} higher, {below} lower",
    )


def _accuracy(dataset: str, method: str) -> str:
    """The mean accuracy of a method on a row of the tables of defaults."""
    header: list[str] = []
    for line in _defaults().splitlines():
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        header = cells if cells[0] == "dataset" else header
        if cells[0] == dataset:
            return cells[header.index(method)].split(" ")[0]
    raise LookupError(f"no row {dataset!r} in the tables of defaults")


def _defaults() -> str:
    """The part of the page of results on the default classifier."""
    return _text("results/reproduction.md").partition('<a id="defaults"></a>')[2]


def _found(pattern: str, text: str) -> tuple[str, ...]:
    match = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    if match is None:
        raise LookupError(f"nothing matches {pattern!r}")
    return match.groups() or (match.group(),)


def _link(words: str, path: str) -> str:
    return f"[{words}]({path})"


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


if __name__ == "__main__":
    main()

"""The command ``lovasz``: data on stdout, progress on stderr, one line for an error."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import lovasz
from lovasz.errors import LovaszError

app = typer.Typer(
    help="Learning on graphs with Lovász orthonormal embeddings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="Data sets: list them, fetch them.", no_args_is_help=True)
app.add_typer(data_app, name="data")

FORMATS = (
    "CSV/TSV edge list, DIMACS .col/.clq, GML, GraphML, Matrix Market, npz, graph6, PyG .pt; "
    "each also .gz; - for stdin"
)


class WeightRule(StrEnum):
    """What ``--weights`` takes."""

    keep = "keep"
    drop = "drop"


GraphFile = Annotated[str, typer.Argument(metavar="GRAPH", help=FORMATS)]
Symmetrize = Annotated[
    bool, typer.Option("--symmetrize", help="Ignore the directions of a directed graph.")
]
Weights = Annotated[WeightRule | None, typer.Option(help="What to do with edge weights.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[
    int, typer.Option(min=0, max=2**62 - 1, help="The same seed gives the same result.")
]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--kernel-option", metavar="NAME=VALUE", help="An option of the kernel; may be repeated."
    ),
]


class Interrupted(Exception):
    """Ctrl-C, or a polite request to end."""


def main() -> None:
    """Run the command; turn what the user can mend into one line and exit code 1."""
    # Threads of torch that spin while they wait make a busy machine tens of times slower than
    # threads that sleep; read when torch is loaded, so it must be said before.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    before = {number: signal.signal(number, _interrupt) for number in SIGNALS}
    try:
        app()
    except LovaszError as problem:
        _fail(str(problem))
    except Interrupted:  # files are written whole or not at all
        _fail("interrupted; nothing was written")
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        sys.exit(1)
    except (OSError, UnicodeError) as problem:
        _fail(f"{type(problem).__name__}: {problem}; check disk, permissions and encoding")
    except (MemoryError, RuntimeError) as problem:
        if not (isinstance(problem, MemoryError) or "memory" in str(problem)):
            raise
        _fail("out of memory; use a smaller graph, fewer hidden units or a sparse kernel")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fail(message: str) -> None:
    print(f"lovasz: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(1)


SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


def _interrupt(number: int, _: Any) -> None:
    # Not KeyboardInterrupt: typer turns that into exit code 130, and Python, when it passed
    # through certain C code, into death by signal after all is said and done.
    signal.signal(number, signal.SIG_DFL)  # a second Ctrl-C does not ask
    raise Interrupted


@app.callback(invoke_without_command=True)
def about(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Learning on graphs with Lovász orthonormal embeddings."""
    if version:
        print(f"lovasz {lovasz.__version__}")
        raise typer.Exit


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the page and the labels.")] = Path(
        "lovasz-demo"
    ),
    splits: Annotated[int, typer.Option(min=1, help="Random splits to compare on.")] = 10,
    seed: Seed = 0,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """Label a random graph of three communities, LCN beside GCN, and write a page about it.

    500 nodes in 3 blocks, edges with probability .6 inside a block and .4 between blocks;
    20 % of the nodes to learn from, 10 % to choose by, 70 % to test on.
    """
    from lovasz.classify.demo import run_demo
    from lovasz.classify.job import FILES
    from lovasz.files import staged

    with staged(out, *FILES) as folder:
        job = run_demo(splits=splits, seed=seed, device=device)
        job.write(folder)
    _show(job, out, json_)


@app.command()
def classify(
    graph: GraphFile,
    labels: Annotated[str, typer.Option(help="CSV of node,class for the labelled nodes.")],
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    features: Annotated[
        str | None, typer.Option(help="Node features: CSV of node,f1,f2,… or .npy/.npz.")
    ] = None,
    kernel: Annotated[
        str, typer.Option("--kernel", "-k", help="auto, or a kernel's name.")
    ] = "auto",
    kernel_option: Options = None,
    epochs: Annotated[int, typer.Option(min=1)] = 200,
    hidden: Annotated[int, typer.Option(min=1, max=2**16, help="Hidden units.")] = 16,
    splits: Annotated[
        int, typer.Option(min=0, help="Random splits to compare LCN and GCN on; 0 for none.")
    ] = 10,
    symmetrize: Symmetrize = False,
    weights: Weights = None,
    seed: Seed = 0,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """Label the nodes of a graph from a few labels.

    Writes predictions.csv (node, class, probability), report.html (how far to trust them, and
    how a plain GCN does) and model/ to the output folder.
    """
    from lovasz.classify import LCNClassifier
    from lovasz.classify.base import encode
    from lovasz.classify.job import FILES, label_graph, work
    from lovasz.files import staged
    from lovasz.graphs.tables import match_labels, read_features, read_labels
    from lovasz.progress import progress

    network = lovasz.as_graph(graph, symmetrize=symmetrize, weights=weights)
    try:
        known = match_labels(read_labels(labels), network)
        encode(known, network, None)
    except LovaszError as problem:
        raise _in_file(labels, problem) from None
    table = None if features is None else read_features(features, network)
    classifier = LCNClassifier(
        kernel,
        kernel_options=_kernel_options(kernel_option),
        hidden=hidden,
        epochs=epochs,
        random_state=seed,
        device=device,
    )
    with staged(out, *FILES) as folder:
        with progress("Training", work(classifier, comparing=splits > 0)) as update:
            job = label_graph(
                network,
                known,
                classifier,
                features=table,
                splits=splits,
                title=f"Labels for {Path(graph).name if graph != '-' else 'the graph on stdin'}",
                command=_command_line(),
                callback=update,
            )
        job.write(folder)
    _show(job, out, json_)


@app.command()
def theta(
    graphs: Annotated[list[str], typer.Argument(metavar="GRAPH...", help=FORMATS)],
    tol: Annotated[float, typer.Option(help="Relative gap between the bounds to reach.")] = 1e-6,
    complement: Annotated[bool, typer.Option("--complement", help="ϑ of the complement.")] = False,
    time_limit: Annotated[
        float | None, typer.Option(min=0, help="Seconds a graph; what is proven by then counts.")
    ] = None,
    solver: Annotated[str, typer.Option(help="auto, interior or splitting.")] = "auto",
    variant: Annotated[
        str, typer.Option(help="lovasz, schrijver (ϑ′, smaller) or szegedy (ϑ⁺, larger).")
    ] = "lovasz",
    symmetrize: Symmetrize = False,
    device: Device = "auto",
    json_: Json = False,
) -> None:
    """The Lovász number ϑ(G) in an interval that provably contains it.

    Edges mean *similar*: ϑ of a complete graph is 1, of a graph without edges its size, and
    ϑ bounds the largest independent set from above. Edge weights are ignored.
    """
    from lovasz.number import theta as solve
    from lovasz.progress import progress

    rows = []
    for name in graphs:
        network = lovasz.as_graph(name, symmetrize=symmetrize, weights="drop")
        with progress(Path(name).name, None) as update:
            result = solve(
                network,
                tol=tol,
                solver=solver,
                device=device,
                complement=complement,
                variant=variant,
                time_limit=time_limit,
                callback=_bounds_note(update),
            )
        row = {"graph": name, "n": network.n, "m": network.m, "variant": variant}
        for field in ("value", "lower", "upper", "gap", "status", "method", "seconds"):
            row[field] = getattr(result, field)
        rows.append(row)
        if not json_:
            _print_theta(row, first=len(rows) == 1)
    if json_:
        print(json.dumps(rows if len(rows) > 1 else rows[0]))


@app.command()
def kernel(
    graph: GraphFile,
    kernel: Annotated[str, typer.Option("--kernel", "-k", help="Its name.")] = "ls",
    kernel_option: Options = None,
    out: Annotated[
        Path | None, typer.Option(help="File: .npz (scipy), .mtx or .csv; else stdout.")
    ] = None,
    symmetrize: Symmetrize = False,
    weights: Weights = None,
    json_: Json = False,
) -> None:
    """Compute a kernel: ls, gcn, adjacency, laplacian, normalized-laplacian, k-scaling, ppr, heat.

    On stdout it is CSV: node, node, value, a line a non-zero.
    """
    from lovasz.kernels.export import describe, write_kernel

    network = lovasz.as_graph(graph, symmetrize=symmetrize, weights=weights)
    K = lovasz.kernel(network, kernel, **_kernel_options(kernel_option))
    if out is not None:
        write_kernel(K, network, out)
    if json_:
        print(json.dumps(describe(K, kernel) | {"file": None if out is None else str(out)}))
    elif out is None:
        write_kernel(K, network, None)
    else:
        print(f"{kernel} kernel of {network.n:,} nodes, {K.nnz:,} non-zeros: {out}")


@data_app.command("list")
def data_list(json_: Json = False) -> None:
    """The data sets lovasz can load, their sizes and licences, and where their files are."""
    from lovasz.datasets import listing

    rows = [row._asdict() for row in listing()]
    if json_:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        del row["about"]  # too long for a terminal
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in rows[0]:
        numeric = isinstance(rows[0][column], int)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(f"{v:,}" if isinstance(v, int) else str(v or "-") for v in row.values()))
    Console().print(table)


@data_app.command("fetch")
def data_fetch(name: Annotated[str, typer.Argument(help="As in `lovasz data list`.")]) -> None:
    """Download a data set into the cache and check its sha256."""
    from lovasz.datasets import fetch

    for path in fetch(name):
        print(path)


def _show(job: Any, out: Path, as_json: bool) -> None:
    """What was found, for people or for machines."""
    from lovasz.classify.job import spread

    files = {name: str(out / name) for name in ("predictions.csv", "report.html", "model")}
    if as_json:
        print(json.dumps(job.summary() | {"files": files}))
        return
    for note in job.page.notes:
        print(f"note: {note}", file=sys.stderr)
    if job.methods:
        print(f"{'method':<24}{'accuracy':>9}{'sd':>7}{'min':>8}{'max':>8}")
        for method in job.methods:
            a = 100 * method.accuracy
            print(f"{method.name:<24}{a.mean():9.1f}{spread(a):7.1f}{a.min():8.1f}{a.max():8.1f}")
        print(f"test accuracy in %, {len(job.methods[0].accuracy)} splits\n")
    else:
        print(f"{job.page.protocol}\n")
    print(f"labels  {files['predictions.csv']}")
    print(f"model   {files['model']}")
    print(f"page    {files['report.html']}")


def _bounds_note(update: Callable[..., None]) -> Callable[[float, float], None]:
    return lambda lower, upper: update(0, f"a core is in [{lower:.6f}, {upper:.6f}]")


def _print_theta(row: dict[str, Any], *, first: bool) -> None:
    """A line of the table of ``lovasz theta``; bounds are printed outwards, so they stay proven."""
    from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

    if first:
        print(f"{'graph':<24}{'n':>9}{'m':>11}  {'ϑ ≥':>18}{'ϑ ≤':>18}{'gap':>9}{'s':>8}  method")
    cell = Decimal("1e-9")
    lower = Decimal(row["lower"]).quantize(cell, ROUND_FLOOR)
    upper = Decimal(row["upper"]).quantize(cell, ROUND_CEILING)
    state = "" if row["status"] == "optimal" else f"; {row['status']}"
    print(
        f"{Path(row['graph']).name:<24}{row['n']:>9,}{row['m']:>11,}  {lower:>18}{upper:>18}"
        f"{row['gap']:>9.0e}{row['seconds']:>8.2f}  {row['method']}{state}",
        flush=True,
    )


def _kernel_options(pairs: list[str] | None) -> dict[str, Any]:
    """``["t=3", "weights=normalized"]`` as keyword arguments; numbers become numbers."""
    options: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals:
            raise LovaszError(f"--kernel-option {pair!r} is not NAME=VALUE")
        try:
            options[name] = float(value)
        except ValueError:
            options[name] = value
    return options


def _in_file(path: str, problem: LovaszError) -> LovaszError:
    """The problem with the name of the file it is in, once."""
    text = str(problem)
    return problem if text.startswith(path) else LovaszError(f"{path}: {text}")


def _command_line() -> str:
    import shlex

    return shlex.join(["lovasz", *sys.argv[1:]])

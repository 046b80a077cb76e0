"""ϑ of one graph by one solver, in a process of its own: what peers.py and growth.py measure.

    python benchmarks/solve.py SIDE GRAPH REPEATS LIMIT [CSDP]      # one JSON line per solve

Every side gets the same graph and the same accuracy, 1e-6, on one thread. A time is the
wall-clock time of the model and the solve. It does not include imports, the construction of the
graph, or a first call of each engine on G(20, ½), in which numba loads or compiles what it needs.
The graph is constructed anew for each repeat. Solves below 1 s are repeated five times as
often, those above 30 s not at all.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOL = 1e-6
LONG = 30  # seconds; longer solves are measured once
SHORT, MORE = 1.0, 5  # and shorter ones five times as often
MEMORY = 12 * 2**30  # bytes of address space
OURS = "lovasz"
THREADS = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON")
}
# CSDP's own defaults but for the accuracy: 1e-8 would cost it an iteration or two more.
CSDP_PARAMETERS = f"""axtol={TOL}
atytol={TOL}
objtol={TOL}
pinftol=1.0e8
dinftol=1.0e8
maxiter=100
minstepfrac=0.90
maxstepfrac=0.97
minstepp=1.0e-8
minstepd=1.0e-8
usexzgap=1
tweakgap=0
affine=0
printlevel=1
perturbobj=1
fastmode=0
"""


@dataclass
class Cell:
    """What one solver made of one graph."""

    seconds: float | None = None
    """Median over the repeats; None when there is no answer, and ``note`` says why."""
    lower: float = float("nan")
    upper: float = float("nan")
    note: str = ""


@dataclass
class Problem:
    """A graph, and its edges i < j."""

    graph: Any
    i: Any
    j: Any


def core_type() -> dict[str, str]:
    """What OpenBLAS must be told here.

    Older ones (Debian's, the one in SCS's wheel) do not know newer processors and fall back to
    kernels two or three times slower.
    """
    given = os.environ.get("OPENBLAS_CORETYPE")
    try:
        wide = "avx512f" in Path("/proc/cpuinfo").read_text()
    except OSError:
        wide = False
    kind = given or ("SkylakeX" if wide else "")
    return {"OPENBLAS_CORETYPE": kind} if kind else {}


def measure(side: str, name: str, *, repeats: int, limit: float, csdp: str = "") -> Cell:
    """Run ``side`` on the graph ``name`` in a fresh process."""
    env = {**os.environ, **THREADS, **(core_type() if side != OURS else {})}
    command = [sys.executable, __file__, side, name, str(repeats), str(limit), csdp]
    try:  # the limit is kept inside; this one is for a process that hangs before it
        done = subprocess.run(
            command, capture_output=True, text=True, env=env, timeout=600 + limit * (1 + repeats)
        )
    except subprocess.TimeoutExpired:
        return Cell(note="hangs")
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    solved = [answer for answer in answers if "seconds" in answer]
    if solved:
        seconds = statistics.median(answer["seconds"] for answer in solved)
        return Cell(seconds, solved[-1]["lower"], solved[-1]["upper"])
    if done.returncode == -signal.SIGALRM:
        return Cell(note=f">{limit:g}")
    if answers:
        return Cell(note=answers[-1]["failed"])
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return Cell(note="memory" if "alloc" in done.stderr.lower() else last)


def solve_lovasz(problem: Problem, limit: float) -> tuple[float, float]:
    from lovasz import theta

    result = theta(problem.graph, tol=TOL, device="cpu", time_limit=limit)
    return result.lower, result.upper


def solve_scs(problem: Problem, limit: float) -> tuple[float, float]:
    """SCS on the edge LMI, as ``lovasz bench --peers`` calls it."""
    from lovasz.baselines.direct_scs import theta_by_scs

    value = theta_by_scs(problem.graph, TOL)
    return value, value


def solve_clarabel(problem: Problem, limit: float) -> tuple[float, float]:
    """Clarabel on the edge LMI, with faer: 5 to 14 times faster than QDLDL from n = 50 up."""
    import clarabel
    import numpy as np
    from scipy import sparse

    from lovasz.baselines.direct_scs import edge_programme

    n, i, j = problem.graph.n, problem.i, problem.j
    start = np.arange(n) * (np.arange(n) + 1) // 2  # columns, down to the diagonal
    a, b, c = edge_programme(start + np.arange(n), start[j] + i, n)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.direct_solve_method = "faer"
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOL
    cones = [clarabel.PSDTriangleConeT(n)]
    zero = sparse.csc_matrix((c.size, c.size))
    solution = clarabel.DefaultSolver(zero, c, a, b, cones, settings).solve()
    if str(solution.status) != "Solved":
        raise RuntimeError(str(solution.status))
    return solution.obj_val, solution.obj_val


class Csdp:
    """CSDP's theta program: nodes, edges, then one edge per line, counted from 1."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.folder = tempfile.TemporaryDirectory(prefix="peers-")
        Path(self.folder.name, "param.csdp").write_text(CSDP_PARAMETERS)
        self.startup = 0.0
        """Seconds to load the program, as imports not counted: the median of 5 runs on K2."""

    def warm_up(self) -> None:
        """Just before each solve: on a busy machine what it was a minute ago says little."""
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            self.run("2\n1\n1 2\n", 60)
            times.append(time.perf_counter() - begin)
        self.startup = statistics.median(times)

    def __call__(self, problem: Problem, limit: float) -> tuple[float, float]:
        edges = "\n".join(map("%d %d".__mod__, zip(problem.i + 1, problem.j + 1, strict=True)))
        value = self.run(f"{problem.graph.n}\n{problem.i.size}\n{edges}\n", limit)
        return value, value

    def run(self, text: str, limit: float) -> float:
        Path(self.folder.name, "graph").write_text(text)
        done = subprocess.run(
            [self.program, "graph"], cwd=self.folder.name, capture_output=True, text=True,
            timeout=limit,
        )  # fmt: skip
        for line in done.stdout.splitlines():
            if "Theta Number is" in line:
                return float(line.split()[-1])
        if "lloc" in done.stdout + done.stderr:
            raise MemoryError
        raise RuntimeError(f"exit status {done.returncode}")


Solver = Callable[[Problem, float], tuple[float, float]]


def prepare(side: str, csdp: str) -> Solver:
    """The solver, loaded and called once on tiny graphs."""
    from instances import build

    if side == "CSDP":
        return Csdp(csdp)
    solve = {OURS: solve_lovasz, "SCS": solve_scs, "Clarabel": solve_clarabel}[side]
    if side == OURS:  # no plain Python for small graphs: the first call loads compiled code
        from lovasz.base.compiled import PLAIN

        PLAIN.spend(float("inf"))
    solve(problem_of(build("gnp-20")), 60)
    if side == OURS:  # every engine: larger graphs would load theirs while the clock runs
        from lovasz.number import SOLVERS, theta

        for engine in SOLVERS:
            theta(build("gnp-20"), solver=engine, device="cpu", time_limit=60)
    return solve


def problem_of(graph: Any) -> Problem:
    from lovasz.baselines.direct_scs import edges_of

    return Problem(graph, *edges_of(graph))


def main(side: str, name: str, repeats: str, limit: str, csdp: str = "") -> None:
    """Print seconds and answer of each repeat. SIGALRM ends a solve that takes too long."""
    from instances import build

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        solve = prepare(side, csdp)
        left = float(repeats)
        while left > 1e-9:
            problem = problem_of(build(name))
            # CSDP is a process of its own and is stopped by its own clock. Ours returns what
            # it has proven at the limit, a little after it.
            alarm = 0 if side == "CSDP" else float(limit) + (60 if side == OURS else 0)
            signal.setitimer(signal.ITIMER_REAL, alarm)
            if isinstance(solve, Csdp):
                solve.warm_up()
            begin = time.perf_counter()
            lower, upper = solve(problem, float(limit))
            seconds = time.perf_counter() - begin - getattr(solve, "startup", 0.0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            answer = {"seconds": max(seconds, 1e-4), "lower": lower, "upper": upper}
            print(json.dumps(answer), flush=True)
            left -= float(repeats) if seconds > LONG else 1 / MORE if seconds < SHORT else 1
    except MemoryError:
        print(json.dumps({"failed": "memory"}))
    except subprocess.TimeoutExpired:
        print(json.dumps({"failed": f">{float(limit):g}"}))
    except Exception as error:
        first = (str(error) or type(error).__name__).splitlines()[0]
        print(json.dumps({"failed": "memory" if "allocate memory" in str(error) else first}))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""``lovasz theta`` as a user meets it: rows, files, Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import networkx as nx
import pytest
from tests.waiting import LONGEST, wait_until

import lovasz
from lovasz.graphs.families import gnp
from lovasz.number.proofs import elimination

ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(Path(lovasz.__file__).parents[1]),
    "TERM": "xterm",
    "COLUMNS": "120",
}
FIELDS = {
    "file", "n", "m", "variant", "value", "lower", "upper", "gap", "certificate",
    "proven_upper", "exact", "status", "method", "reduction", "seconds",
}  # fmt: skip


@pytest.fixture(autouse=True)
def graphs(tmp_path):
    (tmp_path / "c5.csv").write_text("0,1\n1,2\n2,3\n3,4\n4,0\n")
    (tmp_path / "path.csv").write_text("a,b\nb,c\n")
    (tmp_path / "triangle.csv").write_text("0,1\n1,2\n2,0\n")


def strictly(text):
    """JSON without the NaN and Infinity that Python alone understands."""

    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def test_theta_of_several_files(run):
    code, out, err = run("theta", "c5.csv", "path.csv")
    assert code == 0, err
    header, five, path = out.splitlines()
    assert header.split()[:3] == ["graph", "n", "m"]
    low, high = (float(cell) for cell in five.split()[3:5])
    assert low <= 5**0.5 <= high and high - low < 1e-5
    assert path.split()[3:5] == ["2.000000000", "2.000000000"]


def test_theta_of_one_graph_is_an_object_and_of_several_a_list(run):
    one = strictly(run("theta", "triangle.csv", "--json")[1])
    assert one.keys() == FIELDS and one["file"] == "triangle.csv" and one["n"] == one["m"] == 3
    assert one["lower"] == one["upper"] == one["value"] == 1 and one["status"] == "optimal"
    assert one["certificate"] == "proven" and one["proven_upper"] == one["upper"]
    plus = strictly(run("theta", "triangle.csv", "--json", "--variant", "szegedy")[1])
    assert plus["value"] == 1 and plus["variant"] == "szegedy"
    other = strictly(run("theta", "triangle.csv", "--json", "--complement")[1])
    assert other["value"] == 3
    both = strictly(run("theta", "triangle.csv", "c5.csv", "--json")[1])
    assert [row["file"] for row in both] == ["triangle.csv", "c5.csv"]
    assert all(row.keys() == FIELDS for row in both)
    assert both[1]["reduction"]["cores"] == 1


def test_symmetric_graphs_are_given_by_their_names(run):
    _, out, _ = run("theta", "hamming(23, range(1, 7))", "kneser(40, 15)", "paley(13)", "--json")
    assert [row["exact"] for row in strictly(out)] == ["4096", "15084504396", "sqrt(13)"]
    code, _, err = run("theta", "hamming(3, {9})")
    assert code == 1
    assert err == "lovasz: hamming(3, {9}): distance 9 does not occur; distances are 1 to 3\n"
    code, _, err = run("theta", "kneser(__import__('os'), 2)")
    assert code == 1 and "write kneser(n, k), such as kneser(40, 15)" in err
    code, _, err = run("theta", "circulant(10,1)")
    assert code == 1 and "write circulant(n, differences), such as circulant(10, {1})" in err
    for name in ("foo(3)", "complete(5.5)", "petersen"):
        code, _, err = run("theta", name)
        assert code == 1 and err.startswith(f"lovasz: {name}: no such file") and "cycle(7)" in err
    code, _, err = run("theta", "cycle(7)", "--certificate", "proof.npz")
    assert code == 1 and "lovasz.write_graph(graph.to_graph(), 'graph.csv')" in err


def test_theta_with_no_time_has_finite_bounds(run):
    lovasz.write_graph(gnp(60, 0.5, seed=0), "g60.csv")
    code, out, _ = run("theta", "g60.csv", "--json", "--time-limit", "0")
    row = strictly(out)
    assert code == 0 and row["status"].startswith("time limit")
    assert 1 <= row["lower"] <= row["value"] <= row["upper"] <= 60


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_graph_that_fails_does_not_take_the_others_along(run, tmp_path, options):
    (tmp_path / "broken.csv").write_text("a,b\nb,c\nd\n")
    code, out, err = run("theta", "c5.csv", "nowhere.col", "path.csv", "broken.csv", *options)
    assert code == 1
    first, second = err.splitlines()
    assert first.startswith("lovasz: nowhere.col: no such file")
    assert second.startswith("lovasz: broken.csv line 3")
    if options:
        rows = strictly(out)
        names = ["c5.csv", "nowhere.col", "path.csv", "broken.csv"]
        assert [row["file"] for row in rows] == names
        assert "error" not in rows[0] and "error" not in rows[2]
        assert rows[1].keys() == rows[3].keys() == {"file", "error"}
        assert rows[1]["error"] in first and rows[3]["error"] in second
    else:
        assert [line.split()[0] for line in out.splitlines()] == ["graph", "c5.csv", "path.csv"]


def test_all_of_several_failing_is_a_list_of_errors(run):
    code, out, err = run("theta", "one.csv", "two.csv", "--json")
    assert code == 1 and err.count("\n") == 2
    assert [(row["file"], "no such file" in row["error"]) for row in strictly(out)] == [
        ("one.csv", True), ("two.csv", True),
    ]  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_notes_are_on_stderr_and_name_the_graph_if_there_are_several(run, tmp_path, options):
    (tmp_path / "q.csv").write_text("sender,receiver\nann,bob\nbob,cy\ncy,dan\n")
    code, _, err = run("theta", "q.csv", *options)
    assert code == 0 and err.startswith("note: the first line 'sender,receiver' was")
    assert run("theta", "q.csv", "c5.csv", *options)[2].startswith("note: q.csv: the first line")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("c5.csv", "path.csv", "--solver", "magic"), "unknown solver 'magic'"),
        (("c5.csv", "path.csv", "--tol", "0"), "tol=0"),
        (("c5.csv", "path.csv", "--variant", "wild"), "unknown variant 'wild'"),
        (("c5.csv", "--device", "abacus"), "device 'abacus' cannot be used"),
        (("c5.csv", "--csv", "table.csv", "--certificate", "p.npz"), "--certificate is for one"),
    ],
)
def test_bad_calls_of_theta_are_one_line(run, words, expected):
    code, out, err = run("theta", *words)
    assert code == 2 and err.count("\n") == 1 and expected in err and out == ""


class Terminal:
    """A command with its stderr on a terminal; what appears there can be waited for."""

    def __init__(self, *words, folder):
        import pty

        self.master, slave = pty.openpty()
        self.seen = ""
        self.process = subprocess.Popen(
            [sys.executable, *words], cwd=folder, env=ENVIRONMENT, text=True,
            stdout=subprocess.PIPE, stderr=slave,
        )  # fmt: skip
        os.close(slave)

    def wait_for(self, pattern):
        while not re.search(pattern, self.seen):
            self.seen += self._read() or f"(ended) {self.process.wait()}"
            assert "(ended)" not in self.seen, self.seen

    def end(self):
        """Exit code, stdout, and all of stderr."""
        while more := self._read():
            self.seen += more
        out = self.process.stdout.read()
        return self.process.wait(timeout=LONGEST), out, self.seen

    def _read(self):
        try:
            return os.read(self.master, 4096).decode(errors="replace")
        except OSError:  # how Linux says that the other side is closed
            return ""


needs_terminal = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pty")


@needs_terminal
@pytest.mark.slow
def test_ctrl_c_prints_what_is_proven_and_starts_nothing_else(tmp_path):
    lovasz.write_graph(gnp(800, 0.5, seed=0), tmp_path / "large.col")
    words = ("theta", "path.csv", "large.col", "c5.csv", "--tol", "1e-9", "--device", "cpu")
    terminal = Terminal("-m", "lovasz", *words, "--json", folder=tmp_path)
    terminal.wait_for(r"large\.col .* ≤ ϑ ≤ (?!96\.0)\d+\.\d")  # better than counting
    terminal.process.send_signal(signal.SIGINT)
    code, out, seen = terminal.end()
    assert code == 1
    path, large = strictly(out)
    assert path["status"] == "optimal" and large["status"].startswith("interrupted")
    assert large["lower"] < 28.4017 and 28.4016 < large["upper"] < 96
    last = seen.splitlines()[-1]
    assert last.endswith(
        "lovasz: interrupted; large.col has the bounds proven by then; not started: c5.csv"
    )


@needs_terminal
def test_a_second_ctrl_c_does_not_wait(tmp_path):
    """For work that comes back from C only after a minute."""
    stuck = """
import time
import lovasz.number
from lovasz.cli import main

def theta(graph, **options):
    print("at work", flush=True)
    time.sleep(3600)

lovasz.number.theta = theta
main()
"""
    terminal = Terminal("-c", stuck, "theta", "c5.csv", folder=tmp_path)
    assert terminal.process.stdout.readline() == "at work\n"
    terminal.process.send_signal(signal.SIGINT)
    terminal.wait_for("Ctrl-C again: end at once")
    terminal.process.send_signal(signal.SIGINT)
    code, _, seen = terminal.end()
    assert code == 1 and "interrupted twice" in seen
    assert seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l")  # the cursor is back


def sleeps(pid):
    """Whether a process waits for something else than the processor, seen twenty times."""
    status = Path(f"/proc/{pid}/stat")
    for _ in range(20):
        time.sleep(0.05)
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] != "S":
            return False
    return True


def test_a_terminate_while_reading_keeps_what_is_done(tmp_path):
    """Standard input that never ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lovasz", "theta", "c5.csv", "-", "path.csv"], cwd=tmp_path,
        env=ENVIRONMENT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline().startswith("graph")
    assert process.stdout.readline().startswith("c5.csv")
    # A signal in the instant before a read is not noticed until the read is done.
    wait_until(lambda: sleeps(process.pid))
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=LONGEST) == 1
    assert process.stderr.read() == "lovasz: interrupted; not started: - and 1 more\n"


def test_an_interrupt_while_parsing_is_not_taken_for_a_bad_file(run, monkeypatch):
    def parse(*_, **options):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("networkx.parse_gml", parse)
    Path("one.gml").write_text("graph [ node [ id 0 label 0 ] ]")
    code, out, err = run("theta", "one.gml", "c5.csv")
    assert code == 1 and out == ""
    assert err == "lovasz: interrupted; not started: one.gml and 1 more\n"


def test_a_probabilistic_bound_says_so_and_may_be_refused(run, tmp_path, monkeypatch):
    monkeypatch.setattr(elimination, "affordable", lambda n, left: False)
    edges = nx.random_regular_graph(4, 400, seed=1).edges
    (tmp_path / "regular.csv").write_text("\n".join(f"{a},{b}" for a, b in edges))
    told = run("theta", str(tmp_path / "regular.csv"), "--tol", "1e-3", "--solver", "low-rank")[1]
    assert "probabilistic: ϑ ≤ holds with probability 1 − 10⁻¹²; proven is" in told
    options = ("--json", "--proven", "--tol", "1e-3", "--solver", "low-rank")
    row = strictly(run("theta", str(tmp_path / "regular.csv"), *options)[1])
    assert row["certificate"] == "proven" and row["gap"] > 1e-3

"""Every command that reads a graph says on stderr what was changed or assumed."""

import pytest

NOTE = "note: the first line 'sender,receiver' was read as an edge; "


@pytest.fixture
def headed(tmp_path):
    """An edge list whose header has no name that is known."""
    (tmp_path / "q.csv").write_text("sender,receiver\nann,bob\nbob,cy\ncy,dan\ndan,ann\n")
    (tmp_path / "labels.csv").write_text("node,class\nann,a\ncy,b\nbob,a\ndan,b\n")


@pytest.mark.parametrize("options", [(), ("--json",)])
@pytest.mark.parametrize(
    "words", [("theta",), ("color",), ("communities",), ("embed",), ("kernel",), ("suggest", "-k2")]
)
def test_notes_of_the_graph_are_lines_on_stderr(run, headed, words, options):
    code, out, err = run(words[0], "q.csv", *words[1:], *options)
    assert code == 0 and err.startswith(NOTE) and "note:" not in out


def test_train_prints_them_too(run, headed):
    words = ("--labels", "labels.csv", "--epochs", "2", "--device", "cpu")
    code, _, err = run("train", "q.csv", *words)
    assert code == 0 and NOTE in err

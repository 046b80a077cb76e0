"""Files are written aside and moved into place."""

import os

import pytest

from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic, staged


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_atomic_leaves_the_old_file_when_interrupted(stop, tmp_path):
    file = tmp_path / "g.csv"
    file.write_text("old")
    with pytest.raises(stop), atomic(file) as temporary:
        temporary.write_text("half")
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".csv"
        raise stop
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_atomic_writes_through_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "link").is_symlink()


def test_atomic_says_why_it_cannot_write(tmp_path):
    with pytest.raises(LovaszError, match="is a directory"), atomic(tmp_path):
        pass
    with pytest.raises(LovaszError, match="cannot write it"), atomic(tmp_path / "never"):
        pass  # nothing was written, so nothing can take its place


def test_staging_never_deletes_what_is_there(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights.bin").write_text("precious")
    with staged(tmp_path, "model/model.json") as folder:
        (folder / "model").mkdir()
        (folder / "model" / "model.json").write_text("new")
    assert (tmp_path / "model" / "weights.bin").read_text() == "precious"
    assert (tmp_path / "model" / "model.json").read_text() == "new"


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_an_interrupt_between_two_moves_leaves_the_folder_as_it_was(
    after, stop, tmp_path, monkeypatch
):
    (tmp_path / "a.csv").write_text("old a")
    (tmp_path / "c.csv").write_text("old c")
    replace, moves = os.replace, []

    def interrupted(source, target):
        if len(moves) == after:
            moves.append("stop")
            raise stop
        moves.append(target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises((KeyboardInterrupt, LovaszError)), staged(tmp_path) as folder:
        (folder / "model").mkdir()
        for name in ("a.csv", "b.csv", "c.csv", "model/d.json"):
            (folder / name).write_text("new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "c.csv"]
    assert [(tmp_path / name).read_text() for name in ("a.csv", "c.csv")] == ["old a", "old c"]


def test_staging_refuses_before_any_work_is_done(tmp_path):
    (tmp_path / "report.html").mkdir()
    (tmp_path / "model").write_text("a file")
    for name in ("report.html", "model/model.json"):
        with pytest.raises(LovaszError, match="to go there"), staged(tmp_path, name):
            pytest.fail("the work was begun")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model", "report.html"]


def test_staging_leaves_no_new_parents_behind(tmp_path):
    with pytest.raises(LovaszError, match="No space left"), staged(tmp_path / "a" / "b" / "c"):
        raise OSError(28, "No space left on device")
    assert not (tmp_path / "a").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_device_that_is_full_is_one_line():
    with pytest.raises(LovaszError, match="/dev/full: cannot write it"), atomic("/dev/full") as out:
        out.write_bytes(b"x")
    assert os.path.exists("/dev/full")

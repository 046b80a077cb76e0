"""Files are written aside and moved into place."""

import pytest

from lovasz.base.errors import LovaszError
from lovasz.base.files import atomic


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

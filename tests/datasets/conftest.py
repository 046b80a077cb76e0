import pytest


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A machine with an empty cache and no data folder."""
    monkeypatch.delenv("LOVASZ_DATA", raising=False)
    monkeypatch.setenv("LOVASZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache"

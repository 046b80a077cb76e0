"""Free memory: the least of what the machine and its control groups allow."""

import os
from math import inf

import pytest

from lovasz.base import memory
from lovasz.base.errors import LovaszError

MEMINFO = "MemTotal: 900 kB\nMemAvailable: 500 kB\n"
V2 = {"memory.max": "1000", "memory.current": "900", "memory.stat": "anon 3\ninactive_file 40\n"}
V1 = {
    "memory.limit_in_bytes": "1000",
    "memory.usage_in_bytes": "900",
    "memory.stat": "inactive_file 1\ntotal_inactive_file 40\n",
}


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Files of a made-up system, below proc/ and cgroup/."""

    def make(folder, files):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)

    monkeypatch.setattr(memory, "PROC", tmp_path / "proc")
    monkeypatch.setattr(memory, "CGROUP", tmp_path / "cgroup")
    return make


def test_what_the_machine_has_available(system):
    system("proc", {"meminfo": MEMINFO})
    assert memory.free_memory() == 500 * 1024


@pytest.mark.parametrize(
    ("folder", "files", "membership"),
    [
        ("cgroup", V2, "0::/\n"),
        ("cgroup", V2, None),
        ("cgroup", V2, "0::/docker/not/mounted/here\n"),
        ("cgroup/user/job", V2, "0::/user/job\n"),
        ("cgroup/user", V2, "0::/user/job\n"),
        ("cgroup/memory", V1, "4:memory:/\n"),
        ("cgroup/memory", V1, None),
        ("cgroup/memory/slurm/job", V1, "9:cpu:/x\n4:hugetlb,memory:/slurm/job\n0::/\n"),
    ],
)
def test_limits_of_control_groups_count(folder, files, membership, system):
    system("proc", {"meminfo": MEMINFO})
    if membership is not None:
        system("proc/self", {"cgroup": membership})
    system(folder, files)
    assert memory.free_memory() == 1000 - 900 + 40


@pytest.mark.parametrize("files", [{"memory.max": "max\n", "memory.current": "9"}, {}])
def test_no_limit_is_no_limit(files, system):
    system("proc", {"meminfo": MEMINFO})
    system("cgroup", files)
    assert memory.free_memory() == 500 * 1024


def test_over_the_limit_nothing_is_free(system):
    system("proc", {"meminfo": MEMINFO})
    system("cgroup", {"memory.max": "10", "memory.current": "20"})
    assert memory.free_memory() == 0


def test_systems_without_proc_tell_what_is_installed(system, monkeypatch):
    pages = {"SC_PHYS_PAGES": 10, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__, raising=False)
    assert memory.free_memory() == 40960


def unknown(name):
    raise ValueError("unrecognized configuration name")


@pytest.mark.parametrize("sysconf", [None, unknown, lambda name: -1 if "PHYS" in name else 1])
def test_systems_that_tell_nothing_are_not_in_the_way(sysconf, system, monkeypatch):
    monkeypatch.delattr(os, "sysconf", raising=False)
    if sysconf is not None:
        monkeypatch.setattr(os, "sysconf", sysconf, raising=False)
    assert memory.free_memory() == inf


def test_this_system():
    assert memory.free_memory() > 2**20


def test_what_does_not_fit_is_refused_with_its_size_and_a_remedy(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 2.0**30)
    memory.refuse_if_too_large("the matrix", 2**24, "take a part")
    with pytest.raises(LovaszError, match=r"^the matrix would need about 2\.0 GiB and 1\.0 GiB "):
        memory.refuse_if_too_large("the matrix", 2**25, "take a part")
    with pytest.raises(LovaszError, match=r"; take a part$"):
        memory.refuse_if_too_large("the matrix", 2**24, "take a part", bytes_per_entry=65)

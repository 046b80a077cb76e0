"""``lovasz doctor``."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, requires, version
from math import sqrt
from pathlib import Path
from typing import Any

import typer

import lovasz
from lovasz.base.errors import LovaszError
from lovasz.base.extras import EXTRA_OF, distribution, install_command, is_installed
from lovasz.base.text import join_words, one_line
from lovasz.cli.failure import complain, remark
from lovasz.cli.options import Json

REQUIRED = ("numpy", "scipy", "numba", "networkx", "typer", "rich", "threadpoolctl")
"""The packages that ``pip install lovasz`` brings."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""The environment variables that limit the number of threads."""
PENTAGON = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
"""The edges of the graph whose ϑ is computed as a test; it is √5."""


def doctor(json_: Json = False) -> None:
    """What is installed, what is missing, and whether it works.

    Prints versions, BLAS, threads, memory, GPU and folders, names the packages that are missing
    with the command that installs them, and computes ϑ of a small graph. PyTorch is imported only
    if this machine has the driver of a GPU. The exit code is 0 unless something is broken; a
    missing extra is not.

    Example: `lovasz doctor --json`
    """
    facts = examine()
    if json_:
        print(json.dumps(facts))
    else:
        _show(facts)
        for problem in facts["problems"]:
            complain(problem)
    if facts["problems"]:
        raise typer.Exit(1)


def examine() -> dict[str, Any]:
    """Return the facts, and under ``problems`` one line for each thing that is broken."""
    facts: dict[str, Any] = {
        "lovasz": {"version": lovasz.__version__, "folder": str(Path(lovasz.__file__).parent)},
        "python": {"version": platform.python_version(), "platform": platform.platform()},
        "packages": {name: _version(name) for name in REQUIRED},
        "extras": _extras(),
        "threads": _threads(),
        "problems": _outdated(),
    }
    parts: dict[str, Callable[[], Any]] = {
        "blas": _blas, "memory": _memory, "gpu": _gpu, "data": _data, "compiled": _compiled,
        "theta": _theta,
    }  # fmt: skip
    for name, examine_part in parts.items():
        try:
            facts[name] = examine_part()
        except Exception as problem:  # what is broken is what this command is asked for
            facts[name] = None
            known = isinstance(problem, LovaszError)
            said = one_line(problem) if known else f"{type(problem).__name__}: {one_line(problem)}"
            facts["problems"].append(f"{name}: {said}")
    return facts


def _version(name: str) -> str | None:
    """The installed version of a package, or None; the package is not imported."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _extras() -> dict[str, Any]:
    """The packages of each extra, and the command that installs it if some are missing."""
    found: dict[str, Any] = {}
    for module, extra in EXTRA_OF.items():
        entry = found.setdefault(extra, {"packages": {}, "install": None})
        name = distribution(module)
        entry["packages"][name] = _version(name) if is_installed(module) else None
        if entry["packages"][name] is None:
            entry["install"] = install_command([extra])
    return found


def _outdated() -> list[str]:
    """One line for each package that is required and missing, or older than it may be."""
    try:
        lines = requires("lovasz") or []
    except PackageNotFoundError:  # run from a checkout
        lines = list(REQUIRED)
    problems = []
    for line in lines:
        name, least = re.match(r"([\w.-]+)(?:>=([\d.]+))?", line).groups()  # type: ignore[union-attr]
        found = _version(name)
        if found is None and "extra ==" not in line:
            problems.append(f"{name} is not installed; pip install {name}")
        elif found is not None and least and _numbers(found) < _numbers(least):
            problems.append(f'{name} {found} is too old; pip install "{name}>={least}"')
    return problems


def _numbers(text: str) -> list[int]:
    """The numbers of a version: "2.13.0+cpu" is [2, 13]; zeros at the end do not count."""
    numbers = [int(part) for part in re.match(r"[\d.]*", text).group().split(".") if part]  # type: ignore[union-attr]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers


def _threads() -> dict[str, Any]:
    from lovasz.base.device import count_cores

    return {
        "cores": count_cores(),
        "limits": {v: os.environ[v] for v in THREADS if v in os.environ},
    }


def _blas() -> list[dict[str, Any]]:
    """The linear algebra libraries behind NumPy and SciPy."""
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    keys = ("internal_api", "version", "num_threads", "architecture")
    libraries = [info for info in threadpool_info() if info["user_api"] == "blas"]
    return [{key: info.get(key) for key in keys} for info in libraries]


def _memory() -> dict[str, Any]:
    from lovasz.base.memory import free_memory

    return {"free_gib": round(free_memory() / 2**30, 1)}


def _gpu() -> dict[str, Any]:
    from lovasz.base.device import has_driver

    if not has_driver():
        return {"name": None, "note": "no driver of a GPU was found"}
    if not is_installed("torch"):
        need = install_command([EXTRA_OF["torch"]])
        return {"name": None, "note": f"there is a driver; torch is needed to use it: {need}"}
    remark("importing torch, which knows about the GPU")
    import torch

    if not torch.cuda.is_available():
        return {"name": None, "note": f"there is a driver; torch {torch.__version__} uses none"}
    free, total = torch.cuda.mem_get_info()
    room = f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB are free"
    return {"name": torch.cuda.get_device_name(), "note": room}


def _data() -> dict[str, Any]:
    """The folders for data sets, and how many data sets are on this machine."""
    from lovasz.datasets import listing
    from lovasz.datasets.download import cache_folder, data_folder

    named, cache = data_folder(), cache_folder()
    standing = next(folder for folder in (cache, *cache.parents) if folder.exists())
    absent = ("not downloaded", "needs LOVASZ_DATA")
    rows = listing()
    return {
        "folder": None if named is None else str(named),
        "cache": str(cache),
        "cache_writable": standing.is_dir() and os.access(standing, os.W_OK),
        "here": sum(row.where not in absent for row in rows),
        "known": len(rows),
    }


def _compiled() -> dict[str, Any]:
    """The folder in which functions that numba has compiled are kept, or None."""
    from lovasz.number.reduction.crowns import match

    return {"folder": match.cache_folder()}


def _theta() -> dict[str, float]:
    """The interval for ϑ of the pentagon."""
    found = lovasz.theta(PENTAGON, device="cpu")
    if not found.lower <= sqrt(5) <= found.upper:
        raise RuntimeError(f"ϑ of the pentagon is √5, not in [{found.lower}, {found.upper}]")
    return {"lower": found.lower, "upper": found.upper}


def _show(facts: dict[str, Any]) -> None:
    """Print the facts, one line for each kind."""
    lines = [
        ("lovasz", f"{facts['lovasz']['version']} in {facts['lovasz']['folder']}"),
        ("Python", f"{facts['python']['version']}, {facts['python']['platform']}"),
        ("packages", _list_versions(facts["packages"])),
        *((f"[{extra}]", _word_extra(entry)) for extra, entry in facts["extras"].items()),
        ("threads", _word_threads(facts["threads"])),
    ]
    words: dict[str, Callable[[Any], str]] = {
        "blas": _word_blas,
        "memory": lambda fact: f"{fact['free_gib']:,} GiB are free",
        "gpu": lambda fact: f"{fact['name'] or 'none'}; {fact['note']}",
        "data": _word_data,
        "compiled": lambda fact: f"kept in {fact['folder']}" if fact["folder"] else NOT_KEPT,
        "theta": lambda fact: f"of the pentagon is {(fact['lower'] + fact['upper']) / 2:.9f}, √5",
    }
    titles = {"blas": "BLAS", "gpu": "GPU", "theta": "ϑ"}
    for name, word in words.items():
        if facts[name] is not None:
            lines.append((titles.get(name, name), word(facts[name])))
    for title, text in lines:
        print(f"{title:<10}{text}")
    if missing := [extra for extra, entry in facts["extras"].items() if entry["install"]]:
        everything = install_command(["all"])
        print(f"\nnot installed: {join_words(missing)}; {everything} adds everything")


NOT_KEPT = "not kept, for no folder can be written; every process compiles for itself"
"""What is said of compiled functions without a cache."""


def _list_versions(packages: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {found or 'MISSING'}" for name, found in packages.items())


def _word_extra(entry: dict[str, Any]) -> str:
    missing = [name for name, found in entry["packages"].items() if found is None]
    if not missing:
        return _list_versions(entry["packages"])
    return f"{join_words(missing)} missing: {entry['install']}"


def _word_threads(fact: dict[str, Any]) -> str:
    limits = [f"{name}={value}" for name, value in fact["limits"].items()]
    return "; ".join([f"{fact['cores']} cores", *limits])


def _word_blas(libraries: list[dict[str, Any]]) -> str:
    return "; ".join(
        f"{one['internal_api']} {one['version']} ({one['architecture']}), "
        f"threads: {one['num_threads']}"
        for one in libraries
    )


def _word_data(fact: dict[str, Any]) -> str:
    folder = f"LOVASZ_DATA={fact['folder']}" if fact["folder"] else "LOVASZ_DATA is not set"
    state = "" if fact["cache_writable"] else ", which cannot be written"
    here = f"{fact['here']} of {fact['known']} data sets are here"
    return f"{folder}; cache {fact['cache']}{state}; {here}"

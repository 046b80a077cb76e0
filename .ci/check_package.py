"""Build the wheel and the sdist, look inside, and try the wheel in an empty environment.

``make dist`` runs it; the files are left in ``dist/``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PENTAGON = "a,b\nb,c\nc,d\nd,e\ne,a\n"
UNWANTED = ("torch", "sklearn", "matplotlib", "pandas", "jinja2")


def main() -> None:
    """Build, check and try."""
    dist = ROOT / "dist"
    for old in dist.glob("lovasz-*"):
        old.unlink()
    build(ROOT, dist)
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        inside = check_wheel(wheel)
        check_sdist(sdist, inside, Path(folder))
        try_wheel(wheel, Path(folder))


def build(source: Path, target: Path, *kinds: str) -> None:
    """Build wheel and sdist of a source tree, or the kinds that are named."""
    call(sys.executable, "-m", "hatchling", "build", "-d", target, *kinds, cwd=source)


def check_wheel(wheel: Path) -> set[str]:
    """The files of the package and nothing else; return their names."""
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "lovasz").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name for name in names if ".dist-info/" not in name}
    require(packed == expected, f"the wheel differs from src/: {sorted(packed ^ expected)[:5]}")
    require("lovasz/py.typed" in packed, "the wheel has no py.typed")
    print(f"wheel  {wheel.name}: {len(names)} files, {wheel.stat().st_size / 1e6:.2f} MB")
    return names


def check_sdist(sdist: Path, inside: set[str], folder: Path) -> None:
    """What a packager needs, no results of runs, and the same wheel comes out of it."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(folder, filter="data")
    for name in ("pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "tests/conftest.py"):
        require(name in names, f"the sdist has no {name}")
    stray = [
        name
        for name in names
        if "cache" in name.partition("/")[0] or "__pycache__" in name or name.endswith(".pyc")
        or (name.startswith("results/") and name != "results/reproduction.md")
    ]  # fmt: skip
    require(not stray, f"the sdist has {stray[:5]}")
    (unpacked,) = folder.glob("lovasz-*")
    build(unpacked, folder / "again", "-t", "wheel")
    (again,) = (folder / "again").glob("*.whl")
    require(set(zipfile.ZipFile(again).namelist()) == inside, "the sdist builds another wheel")
    print(f"sdist  {sdist.name}: {len(names)} files, {sdist.stat().st_size / 1e6:.2f} MB")


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install the wheel alone, and use what must work with no extra."""
    place = folder / "empty"
    call(sys.executable, "-m", "venv", place)
    scripts = place / ("Scripts" if os.name == "nt" else "bin")
    pip = [scripts / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    call(*pip, "--no-compile", "--constraint", ROOT / "constraints.txt", wheel)
    (site,) = place.rglob("site-packages")
    for name in UNWANTED:
        require(not (site / name).exists(), f"pip install lovasz brings {name}")
    tools = {"pip", "setuptools", "pkg_resources", "_distutils_hack"}
    size = sum(
        path.stat().st_size
        for path in site.rglob("*")
        if path.is_file() and path.relative_to(site).parts[0].partition("-")[0] not in tools
        and "__pycache__" not in path.parts
    )  # fmt: skip
    print(f"light  {size / 1e6:.0f} MB installed, without pip and compiled files")
    (folder / "graph.csv").write_text(PENTAGON)
    lovasz = scripts / "lovasz"
    require("2.236067977" in call(lovasz, "theta", "graph.csv", cwd=folder), "ϑ is not √5")
    require("a,b," in call(lovasz, "kernel", "graph.csv", "-k", "lovasz", cwd=folder), "no kernel")
    require("node,color" in call(lovasz, "color", "graph.csv", cwd=folder), "no colours")
    require('"problems": []' in call(lovasz, "doctor", "--json", cwd=folder), "doctor complains")
    started = time.perf_counter()
    call(lovasz, "--help", cwd=folder)
    between = time.perf_counter()
    call(lovasz, "theta", "graph.csv", cwd=folder)
    ended = time.perf_counter()
    print(f"start  lovasz --help {between - started:.2f} s, lovasz theta {ended - between:.2f} s")
    refused = subprocess.run(
        [lovasz, "demo"], cwd=folder, capture_output=True, text=True, env=environment()
    )
    require(
        refused.returncode == 1 and refused.stderr.endswith('; pip install "lovasz[learn]"\n'),
        f"lovasz demo without its extra says {refused.stderr!r}",
    )


def environment() -> dict[str, str]:
    """The environment without what would let the checkout be imported."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def call(*words: object, cwd: Path = ROOT) -> str:
    """Run a command and return what it prints; a failure ends this script."""
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, capture_output=True, text=True, env=environment()
    )
    require(done.returncode == 0, f"{words[0]} failed: {done.stdout}{done.stderr}")
    return done.stdout


def require(holds: bool, complaint: str) -> None:
    """End with a message unless something holds."""
    if not holds:
        sys.exit(f"package: {complaint}")


if __name__ == "__main__":
    main()

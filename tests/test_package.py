"""The wheel and the source distribution: what is in them, and that they work by themselves."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from email import message_from_string
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("package")]

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
PACKAGES = [name[:-1] for name in SETTINGS["tool"]["setuptools"]["packages"]["find"]["include"]]
NEEDED = (
    *(f"{package}/py.typed" for package in PACKAGES),
    *(f"maps/{name}.json" for name in ("chicane", "hairpins", "long", "oval", "short", "sweeps")),
    *(f"policies/pretrained/{name}.safetensors" for name in ("nsac_carracing", "nsac_udacity")),
    *(f"evaluation/report.{kind}" for kind in ("html", "css", "js")),
    *(f"evaluation/inspection/report/page.{kind}" for kind in ("html", "css")),
    "evaluation/inspection/report/player.js",
    "nsac_core/benchmarks/paper.json",
)
"""Some of what no import would miss."""

USER = """
import maps
from maps import TrackMap

track: TrackMap = maps.load("oval")
names: list[str] = maps.names()
maps.load(3)
"""
UNTYPED = ("torch", "pandas", "gymnasium", "matplotlib", "pyarrow", "rich", "tyro")


@dataclass(frozen=True)
class Built:
    """What ``python -m build`` makes: a source distribution, its wheel, and one of the tree."""

    source: Path
    wheel: Path
    wheel_of_tree: Path


def run(*command: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What a command prints; it must succeed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository, as building writes beside what it builds from."""
    folder = tmp_path_factory.mktemp("tree") / "nsac-drive"
    made = (".*", "__pycache__", "*.egg-info", "build", "dist", "runs", "site")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*made))
    return folder


@pytest.fixture(scope="module")
def built(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    out = tmp_path_factory.mktemp("dist")
    build = (sys.executable, "-m", "build", "--no-isolation")
    run(*build, "--outdir", out, cwd=tree)
    run(*build, "--wheel", "--outdir", out / "tree", cwd=tree)
    (source,), (wheel,), (of_tree,) = (
        out.glob("*.tar.gz"),
        out.glob("*.whl"),
        (out / "tree").glob("*.whl"),
    )
    return Built(source, wheel, of_tree)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_holds_the_packages_and_nothing_else(built: Built, tree: Path) -> None:
    files = {path for package in PACKAGES for path in (tree / package).rglob("*") if path.is_file()}
    expected = {path.relative_to(tree).as_posix() for path in files}
    found = {name for name in contents(built.wheel) if ".dist-info/" not in name}
    assert found == expected
    assert found >= set(NEEDED)


def test_a_wheel_of_the_source_distribution_is_that_of_the_tree(built: Built) -> None:
    assert contents(built.wheel) == contents(built.wheel_of_tree)


def test_the_source_distribution_holds_what_is_built_from(built: Built) -> None:
    with tarfile.open(built.source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in contents(built.wheel) if ".dist-info/" not in name} <= names
    assert {"pyproject.toml", "README.md", "LICENSE"} <= names
    assert {name.partition("/")[0] for name in names} & {"tests", "benchmarks", "docs"} == set()


def test_both_are_small_and_may_be_published(built: Built) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", built.source, built.wheel)
    assert built.wheel.stat().st_size < 5e6
    assert built.source.stat().st_size < 5e6


def test_the_wheel_tells_version_licence_and_pythons(built: Built) -> None:
    files = contents(built.wheel)
    (name,) = (name for name in files if name.endswith(".dist-info/METADATA"))
    metadata = message_from_string(files[name].decode())
    assert metadata["Version"] == PROJECT["version"]
    assert metadata["License-Expression"] == "MIT"
    assert name.replace("METADATA", "licenses/LICENSE") in files
    classifiers = metadata.get_all("Classifier", [])
    for version in ("3.11", "3.12", "3.13"):
        assert f"Programming Language :: Python :: {version}" in classifiers


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel, and a folder to work in, away from the repository."""

    python: Path
    folder: Path

    def run(self, command: str, *arguments: object) -> str:
        """What a command of the environment prints, with a bare environment and no display."""
        bare = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"}
        return run(self.python.parent / command, *arguments, cwd=self.folder, env=bare)


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel alone; what it depends on is found in the environment of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index")
    run(*pip, "--no-compile", built.wheel)
    (own,) = (folder / "venv" / "lib").glob("python*/site-packages")
    # Files `.pth` in a folder that is named by one are not read: an editable install stays hidden.
    others = [path for path in sys.path if Path(path).name == "site-packages"]
    (own / "dependencies.pth").write_text("\n".join(others), encoding="utf-8")
    (folder / "work").mkdir()
    return Installed(python, folder / "work")


def test_what_is_imported_is_what_was_installed(installed: Installed) -> None:
    for package in PACKAGES:
        where = installed.run("python", "-c", f"import {package}; print({package}.__file__)")
        assert Path(where.strip()).is_relative_to(installed.python.parents[1])


def test_maps_and_the_bundled_policy_come_along(installed: Installed) -> None:
    assert "hairpins" in installed.run("nsac-maps", "list")
    arguments = ("--policy", "nsac", "--maps", "short", "--max-steps", 20, "--out", "run")
    installed.run("nsac-evaluate", *arguments)
    page = (installed.folder / "run" / "report.html").read_text(encoding="utf-8")
    assert "nsac_carracing" in page


@pytest.mark.parametrize("command", sorted(PROJECT["scripts"]))
def test_every_command_explains_itself(installed: Installed, command: str) -> None:
    assert command in installed.run(command, "--help")
    assert PROJECT["version"] in installed.run(command, "--version")


def test_code_of_a_user_is_checked_by_our_types(installed: Installed, tmp_path: Path) -> None:
    sections = "".join(
        f"[mypy-{name}.*]\nfollow_imports = skip\nignore_missing_imports = true\n"
        for name in UNTYPED
    )
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = true\n{sections}", encoding="utf-8")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--python-executable", installed.python, "user.py"]
    done = subprocess.run(
        [str(word) for word in command],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 1, done.stdout
    assert errors[0].startswith(f"user.py:{USER.splitlines().index('maps.load(3)') + 1}: error:")
    assert 'incompatible type "int"; expected "str' in errors[0]

"""Policy files on the command lines, and the identity of what was done with them."""

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import evaluation.cli
import evaluation.inspect_cli
import policies
import recorders.cli
from drive.observation import ObservationSpec
from evaluation.comparison.config import ComparisonConfig
from evaluation.config import EvaluateConfig
from evaluation.identity import digest_of, entrants
from evaluation.run import drive
from policies.foreign.driver import ForeignDriver
from policies.foreign.layout import Layout
from policies.foreign.source import digest
from recorders.config import RecordConfig

PROGRAMS = {
    "nsac-evaluate": evaluation.cli.main,
    "nsac-inspect": evaluation.inspect_cli.main,
    "nsac-record": recorders.cli.main,
}
FEW = "--max-steps 3 --renderer fast"


class Straight(nn.Module):
    """Full throttle, straight on."""

    def forward(self, stacks: Tensor) -> Tensor:
        return stacks.mean((1, 2, 3))[:, None] * torch.zeros(3) + torch.tensor([0.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With ``model.pt2`` and a study of it."""
    folder = tmp_path_factory.mktemp("policies")
    stacks, batch = torch.zeros(2, 4, 84, 84), torch.export.Dim("batch")
    program = torch.export.export(Straight(), (stacks,), dynamic_shapes=({0: batch},))
    torch.export.save(program, folder / "model.pt2")
    text = 'policies = ["model.pt2"]\nmaps = ["short"]\nmax_steps = 3\nrenderer = "fast"\n'
    (folder / "study.toml").write_text(text)
    return folder


def perform(line: str) -> int:
    """Exit status of a command line."""
    program, *arguments = line.split()
    try:
        PROGRAMS[program](arguments)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nsac-evaluate --policy model.pt2 --maps short", None),  # the guide's commands drive
        ("nsac-evaluate --policy selective:model.pt2?threshold=1 --maps short", None),
        ("nsac-evaluate study study.toml", ""),
        ("nsac-evaluate drivers --expert model.pt2", None),
        ("nsac-evaluate udacity --policies model.pt2", "reads gray84, but the Udacity"),
        ("nsac-evaluate --world udacity --policy model.pt2", "reads gray84, but the Udacity"),
        ("nsac-inspect wiring --policy model.pt2", "has no attention circuit"),
        (f"nsac-inspect saliency --policy model.pt2 --map short {FEW}", "model: has no saliency"),
        (
            f"nsac-inspect traces --policy model.pt2 --map short {FEW}",
            "none of its drivers has an attention",
        ),
        (f"nsac-record carracing --driver model.pt2 --episodes 1 {FEW} --data-root .", ""),
        (f"nsac-record carracing --learner model.pt2 --episodes 1 {FEW} --data-root .", ""),
    ],
)
def test_every_command_takes_a_file_that_is_trusted_and_no_other(
    line: str,
    words: str | None,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    if "--world" not in line:
        number = sum(map(ord, line))
        line += f" --out {f'carracing/own-v{number}' if 'record' in line else f'{number}.png'}"
    assert perform(line) == 2
    assert capsys.readouterr().err.strip().splitlines() == [
        "error: model.pt2: a torch.export file can run any code while it is loaded: if you trust "
        "who made it, say so by --trust (in Python: trust=True)"
    ]
    if words is not None:
        assert perform(f"{line} --trust") == (2 if words else 0)
        assert words in capsys.readouterr().err


def test_inspecting_a_run_asks_for_trust_anew(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a run's ``config.json`` from somebody else would load what it names."""
    file = str(folder / "model.pt2")
    drive(EvaluateConfig((file,), "short", tmp_path, renderer="fast", max_steps=3, trust=True))
    assert '"trust": true' in (tmp_path / "config.json").read_text()
    assert perform(f"nsac-inspect saliency --out {tmp_path}") == 2
    assert "say so by --trust" in capsys.readouterr().err
    assert perform(f"nsac-inspect saliency --out {tmp_path} --trust") == 2
    assert "model: has no saliency" in capsys.readouterr().err


def test_trust_travels_to_the_processes_that_drive(folder: Path) -> None:
    """Each of them is sent an entrant, and loads its policy anew."""
    config = EvaluateConfig((str(folder / "model.pt2"),), "short", Path(), trust=True)
    (sent,) = pickle.loads(pickle.dumps(entrants(config)))
    black = np.zeros((2, 4, 84, 84), dtype=np.uint8)
    np.testing.assert_array_equal(sent.load().act(black).action, [[0, 1, 0]] * 2)


def test_the_cars_of_a_batch_share_one_forward_pass() -> None:
    sizes: list[int] = []

    class Counting:
        layout, batches = Layout(ObservationSpec(), (4, 84, 84), "first"), True

        def __call__(self, observations: NDArray[np.uint8]) -> dict[str, NDArray[np.floating]]:
            sizes.append(len(observations))
            return {"action": np.zeros((len(observations), 3))}

    driver = ForeignDriver("counting", Counting())
    driver.act(np.zeros((7, *ObservationSpec().shape), dtype=np.uint8))
    assert sizes == [7]


def test_a_file_is_told_by_its_bytes_and_options(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"one")
    plain, scaled = digest(str(path)), digest(f"{path}?scale=255")
    assert len({plain, scaled, digest(f"{path}?scale=1")}) == 3
    recorded = RecordConfig("a/b-v0", driver=f"{path}?scale=255").content()
    assert recorded["driver_sha256"] == scaled
    path.write_bytes(b"two")
    assert digest(str(path)) != plain
    assert digest("privileged") == digest(str(tmp_path / "gone.onnx")) == ""


def test_trust_decides_nothing_of_what_is_done() -> None:
    for trusted, plain in (
        (RecordConfig("a/b-v0", trust=True).content(), RecordConfig("a/b-v0").content()),
        (ComparisonConfig(trust=True).decisive(), ComparisonConfig().decisive()),
    ):
        assert trusted == plain


def test_a_factory_is_told_by_its_module_and_its_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kind = (
        "from drive.observation import ObservationSpec\n"
        "class Kind:\n"
        "    name, observation = 'kind', ObservationSpec('world', 1)\n"
        "    def reset(self, n, seed=0): pass\n"
        "    def act(self, worlds): pass\n"
    )
    factory = "from kinds import Kind\ndef make():\n    return Kind()\n"

    def version(kind: str, factory: str) -> str:
        Path("kinds.py").write_text(kind)
        Path("makers.py").write_text(factory)
        for name in ("kinds", "makers"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        return digest_of("makers:make", policies.load("makers:make"))

    versions = [
        version(kind, factory),
        version(kind, factory + "# gain 2\n"),
        version(kind + "# other\n", factory),
    ]
    assert len(set(versions)) == 3
    assert version(kind, factory) == versions[0]

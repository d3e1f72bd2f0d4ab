"""A command that is refused before it has done anything leaves nothing behind."""

import importlib
from contextlib import nullcontext
from pathlib import Path

import pooch
import pytest

REFUSED = {
    "nsac-bench": "nsac_core.cli boston --quiet --out OUT/boston --json OUT/boston/scores.json",
    "nsac-record": (
        "recorders.cli carracing --quiet --driver none.safetensors --out carracing/test-v0 "
        "--data-root OUT"
    ),
    "nsac-record udacity": "recorders.cli udacity --quiet --port 0 --seconds 0.1 --out OUT",
    "nsac-record merge": (
        "recorders.cli merge carracing/one-v0 carracing/two-v0 --out carracing/test-v0 "
        "--data-root OUT"
    ),
    "nsac-train": "policies.cli --quiet --data carracing/none-v0 --out OUT/policy.safetensors",
    "nsac-train udacity": "policies.cli udacity --quiet --data none --out OUT/policy.safetensors",
    "nsac-train --expert ppo": (
        "policies.cli --expert ppo --quiet --world.workers 1 --out OUT/policy.safetensors "
        "--init-from-demonstrations carracing/none-v0"
    ),
    "nsac-evaluate": "evaluation.cli --policy none.safetensors --maps oval --quiet --out OUT",
    "nsac-evaluate compare": "evaluation.cli compare none --out OUT",
    "nsac-evaluate udacity": "evaluation.cli udacity --policies none.safetensors --out OUT",
    "nsac-evaluate udacity-open-loop": (
        "evaluation.cli udacity-open-loop --data none --out OUT/run --json OUT/scores.json"
    ),
    "nsac-inspect report": (
        "evaluation.inspect_cli report --policy none.safetensors --map oval --out OUT"
    ),
    "nsac-inspect wiring": "evaluation.inspect_cli wiring --policy ppo --out OUT/circuit.png",
    "nsac-demo": "evaluation.demo_cli --dagger.expert none.safetensors --out OUT",
}
"""Commands whose input lacks: data, a policy, a run, the network."""

IN_VAIN = ["nsac-record udacity"]
"""Ends well, although nobody has come in its time."""


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def retrieve(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr(pooch, "retrieve", retrieve)


@pytest.mark.fault(
    "data, policy or run missing, no network",
    "every command that writes",
    "no file, folder or lock is left",
)
@pytest.mark.parametrize("name", REFUSED)
def test_nothing_is_left_where_nothing_was_done(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    module, *words = REFUSED[name].replace("OUT", "runs/new/out").split()
    with nullcontext() if name in IN_VAIN else pytest.raises(SystemExit, match=r"^2$"):
        importlib.import_module(module).main(words)
    assert capsys.readouterr().err.startswith("" if name in IN_VAIN else "error: ")
    assert list(tmp_path.rglob("*")) == []

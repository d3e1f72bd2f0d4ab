import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from evaluation.errors import EvaluationError
from evaluation.study import StudyConfig, installation, run_study
from evaluation.study.backends import BACKENDS

HERE = Path(__file__).parent
STUDY = """
policies = ["closed_loop_policies:{policy}"]
maps = "seed:3-10"
perturbations = "friction:1"
batch = 2
max_steps = 15
"""


@pytest.fixture(autouse=True)
def _policies_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of one machine of one CPU."""
    pytest.importorskip("ray", reason="Ray is not installed")
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - takes seconds

    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(HERE)
    found = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    try:
        yield found
    finally:
        found.shutdown()  # type: ignore[no-untyped-call]
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


def laps_of(tmp_path: Path, policy: str, address: str | None, workers: int = 2) -> pd.DataFrame:
    file = tmp_path / f"{policy}.toml"
    file.write_text(STUDY.format(policy=policy))
    name = "ray" if address else "joblib"
    config = StudyConfig(
        *(file, tmp_path / f"{policy}-{name}", workers), backend=name, address=address, quiet=True
    )
    laps = run_study(config).laps
    return laps[[column for column in laps if not str(column).startswith("latency")]]


@pytest.mark.slow
def test_a_study_survives_the_loss_of_a_machine_with_the_same_laps(
    cluster: Any,  # noqa: ANN401 - Ray is optional
    tmp_path: Path,
) -> None:
    started = tmp_path / "started"
    doomed = cluster.add_node(num_cpus=1, env_vars={"STRANDED": str(started)})
    killed = threading.Event()

    def kill_in_mid_unit() -> None:
        deadline = time.monotonic() + 120
        while not started.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        cluster.remove_node(doomed, allow_graceful=False)
        killed.set()

    killer = threading.Thread(target=kill_in_mid_unit)
    killer.start()
    laps = laps_of(tmp_path, "Stranded", cluster.address)
    killer.join()
    assert started.exists()
    assert killed.is_set()
    assert len(laps) == 16
    assert_frame_equal(laps, laps_of(tmp_path, "Stranded", None, workers=1))


@pytest.mark.slow
def test_the_fault_of_a_policy_comes_back_as_it_is(
    cluster: Any,  # noqa: ANN401 - Ray is optional
    tmp_path: Path,
) -> None:
    with pytest.raises(EvaluationError, match=r"^scripted: act\(\) failed .*: two lines$"):
        laps_of(tmp_path, "Raises", cluster.address)


def test_no_cluster_is_said_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed")
    with pytest.raises(EvaluationError, match=r"^no Ray cluster at 127.0.0.1:1: .*refused$"):
        laps_of(tmp_path, "Scripted", "127.0.0.1:1")


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(EvaluationError, match=r"pip install 'nsac-drive\[ray\]'"):
        next(BACKENDS["ray"]([], print, 1, None))  # type: ignore[arg-type]


def test_a_machine_with_another_version_is_told_apart() -> None:
    here = installation.installation()
    assert installation.difference(here, dict(here)) == ""
    other = {**here, "torch": "1.0"}
    assert installation.difference(here, other) == f"torch 1.0, not {here['torch']}"

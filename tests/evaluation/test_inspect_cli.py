from pathlib import Path

import pandas as pd
import pytest
from matplotlib.image import imread

from evaluation.inspect_cli import main

LAP = ["--map", "seed:42", "--renderer", "fast", "--max-steps", "30"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose neurons have been traced."""
    out = tmp_path_factory.mktemp("inspected") / "run"
    main(["traces", "--policy", "nsac", *LAP, "--out", str(out), "--ablate", "1"])
    return out


def test_one_command_traces_rates_draws_and_silences(run: Path) -> None:
    folder = run / "seen" / "nsac_carracing-0"
    files = {path.name for path in folder.iterdir()}
    pictures = {f"{name}.{suffix}" for name in ("figure_6", "neurons") for suffix in ("png", "svg")}
    assert files == {"frames.npz", "traces.parquet", *pictures}
    picture = imread(folder / "figure_6.png")
    assert picture.std() > 0.05
    rated = pd.read_parquet(run / "correlations.parquet")
    gates = rated.set_index("trace").loc[["phi", "kappa", "psi"]]
    assert (gates["std"] > 0).all()
    silenced = pd.read_parquet(run / "silenced.parquet")
    strongest = rated[rated["neuron"]].set_index("trace")["steering"].abs()
    assert silenced["neuron"].tolist() == [strongest.idxmax(), strongest.idxmin()]


def test_the_command_again_prints_the_same_from_what_is_there(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stamp = (run / "steps.parquet").stat().st_mtime_ns
    main(["traces", "--out", str(run), "--ablate", "1"])
    assert (run / "steps.parquet").stat().st_mtime_ns == stamp
    printed = capsys.readouterr().out
    assert "phi" in printed
    assert "figure_6.svg" in printed


@pytest.mark.parametrize("step", [None, 29])
def test_the_wiring_is_drawn_with_and_without_a_step(
    run: Path, tmp_path: Path, step: int | None
) -> None:
    at = [] if step is None else ["--run", str(run), "--step", str(step)]
    main(["wiring", "--policy", "nsac", *at, "--out", str(tmp_path / "wiring.png")])
    assert imread(tmp_path / "wiring.png").std() > 0.05


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("wiring --policy nsac --run {run} --step 30 --out {out}.png", "expected 0 to 29"),
        ("wiring --policy nsac --run {run} --lap 1 --out {out}.png", "lap 1 was driven by nobody"),
        ("wiring --policy ppo --out {out}.png", "has no attention circuit to draw"),
        ("wiring --policy nsac --out {out}.txt", "expected a name ending .png, .svg or .pdf"),
        ("wiring --policy nsac --member 5 --out {out}.png", "has no member 5, expected 0 to 0"),
        ("wiring --policy nsac --step 3 --out {out}.png", "are of a --run, which is not given"),
        ("traces --policy nsac --out {out}", "--policy and --map go together"),
        ("traces --out {out}", "config.json is missing"),
        (
            "traces --policy privileged --map seed:42 --max-steps 3 --out {out}",
            "none of its drivers",
        ),
    ],
)
def test_a_fault_is_one_line(
    run: Path, tmp_path: Path, line: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(line.format(run=run, out=tmp_path / "out").split())
    printed = capsys.readouterr()
    text = " ".join((printed.out + printed.err).split())
    assert fault in text


def test_without_a_word_it_says_which_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "traces" in capsys.readouterr().out

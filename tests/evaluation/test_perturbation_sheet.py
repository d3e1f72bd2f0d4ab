from pathlib import Path

import pytest
from PIL import Image

from evaluation import EvaluationError
from evaluation.cli import main
from evaluation.perturbation_sheet import sheet
from evaluation.perturbation_sheet_config import SheetConfig
from evaluation.perturbations import PERTURBATIONS


def test_the_command_draws_the_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["ext-bar", "colours", "power"]
    short = ["--step", "3", "--path-steps", "5"]
    main(["perturbations", "--out", str(tmp_path), "--names", *names, *short])
    file = tmp_path / "perturbations.png"
    assert capsys.readouterr().out.strip() == str(file)
    assert len(Image.open(file).convert("RGB").getcolors(1 << 20) or []) > 30


def test_each_row_shows_clean_and_five(tmp_path: Path) -> None:
    figure = sheet(SheetConfig(tmp_path, ("ext-bar", "colours"), step=2, path_steps=3))
    shown = [axes for axes in figure.axes if axes.get_images()]
    titles = [axes.get_title("left") for axes in shown]
    assert titles[0] == "ext-bar"
    assert titles[5] == "5: 0.125"
    assert titles[6:] == ["colours", *(f"draw {n}" for n in range(1, 6))]
    pictures = [axes.get_images()[0].get_array() for axes in shown]
    assert len({picture.tobytes() for picture in pictures if picture is not None}) == 11


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="there is no perturbation 'fog'"):
        sheet(SheetConfig(tmp_path, ("fog",)))


def test_the_guide_states_every_level() -> None:
    guide = Path(__file__).parents[2] / "docs" / "perturbations.md"
    rows = [line.split("|") for line in guide.read_text(encoding="utf-8").splitlines()]
    stated = {row[1].strip(): row[3].strip() for row in rows if len(row) == 5}
    for name, kind in PERTURBATIONS.items():
        assert stated[f"`{name}`"] == (", ".join(f"{level:.3g}" for level in kind.levels) or "none")

from pathlib import Path

import cv2
import numpy as np
import pytest

import maps
from maps.cli import main


def test_list_names_every_map(capsys: pytest.CaptureFixture[str]) -> None:
    main(["list"])
    out = capsys.readouterr().out
    assert all(name in out for name in maps.names())
    assert "seed:N" in out


def test_show_draws_the_road_where_it_is(tmp_path: Path) -> None:
    main(["show", "oval", "--png", str(tmp_path / "oval.png")])
    picture = cv2.imread(str(tmp_path / "oval.png"))
    assert picture is not None
    road = np.abs(picture.astype(int) - (0x76, 0x6F, 0x6B)).max(axis=2) < 8
    grass = np.abs(picture.astype(int) - (0xC4, 0xE8, 0xCF)).max(axis=2) < 8
    # The picture shows the road's bounding box and 35 units of grass beyond: the shares of area.
    shown = (400 + 70) * (160 + 70)
    share = maps.load("oval").length * 2 * 40 / 6 / shown
    assert road.sum() / (road | grass).sum() == pytest.approx(share, rel=0.15)


def test_the_ending_of_a_picture_is_its_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for ending, begins in ((".svg", b"<?xml"), (".pdf", b"%PDF"), (".PNG", b"\x89PNG")):
        files = [tmp_path / f"{name}{ending}" for name in ("a", "b")]
        for file in files:
            main(["show", "oval", "--png", str(file)])
        first, again = (file.read_bytes() for file in files)
        assert first.startswith(begins)
        assert first == again
    with pytest.raises(SystemExit, match="2"):
        main(["show", "oval", "--png", str(tmp_path / "a.jpg")])
    assert "a.jpg: expected a name ending .png, .svg or .pdf\n" in capsys.readouterr().err


def test_show_describes_the_map(capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", "sweeps"])
    out = capsys.readouterr().out
    assert "clockwise" in out
    assert f"lap {maps.load('sweeps').length:.0f} world units" in out


def test_import_writes_a_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    angles = np.arange(200) * 2 * np.pi / 200
    rows = [f"{800 * np.cos(a):.3f},{500 * np.sin(a):.3f},5,5" for a in angles]
    (tmp_path / "ring.csv").write_text("\n".join(rows))
    out = tmp_path / "ring.json"
    main(["import", str(tmp_path / "ring.csv"), "--out", str(out), "--length", "900"])
    assert maps.load(out).length == pytest.approx(900, rel=0.01)
    assert f"wrote {out}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "nix"],
        ["show", "oval", "--png", "nowhere/oval.png"],
        ["import", "none.csv", "--out", "m.json"],
    ],
)
def test_faults_are_one_line_and_status_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert err.count("\n") == 1

"""The files that the guides say each command writes."""

import itertools
import shlex
from pathlib import Path

from tests.guides.shorter import rule

BENCHMARK = "{out}/tables.md {out}/scores.parquet {out}/run.json"
DATA_SET = "datasets/{out}/data/metadata.json"
LAPS = "{out}/report.html {out}/laps.parquet {out}/steps.parquet {out}/config.json {out}/figures/*"
RECORDING = "{out}/driving_log.csv {out}/IMG"

WRITTEN = {
    "nsac-bench ablations": BENCHMARK,
    "nsac-bench ablations --seeds 1 --studies length": BENCHMARK,
    "nsac-bench ablations --studies length": BENCHMARK,
    "nsac-bench all": "runs/bench/quick/boston/tables.md runs/bench/quick/ablations/tables.md",
    "nsac-bench bearings": BENCHMARK,
    "nsac-bench boston": BENCHMARK,
    "nsac-bench ettm1": BENCHMARK,
    "nsac-bench jena": BENCHMARK,
    "nsac-bench kin8nm": BENCHMARK,
    "nsac-bench runtime": "{out}/tables.md {out}/tables.tex",
    "nsac-bench spiral": f"{BENCHMARK} {{out}}/tubes.png",
    "nsac-bench synthetic-bearings": BENCHMARK,
    "nsac-bench table1": "{out}/tables.md {out}/tables.tex {out}/table1.json {out}/figure.png",
    "nsac-demo": "{out}/nsac.safetensors {out}/evaluation/report.html",
    "nsac-evaluate": LAPS,
    "nsac-evaluate compare": "{out}/report.html {out}/tables.md {out}/figures/*",
    "nsac-evaluate drivers": "{out}/runs/plain/laps.parquet {out}/report/tables.md",
    "nsac-evaluate perturbations": "{out}/*.png",
    "nsac-evaluate study": "{out}/report.html {out}/figures/* {out}/tables.md {out}/laps.parquet "
    "{out}/study.toml {out}/study.json {out}/units/*",
    "nsac-evaluate udacity": "{out}/drives.parquet {out}/laps.parquet {out}/steps.parquet "
    "{out}/tables.md",
    "nsac-evaluate udacity-open-loop": f"{BENCHMARK} {{out}}/policies/nsac-42.safetensors",
    "nsac-evaluate udacity-saliency": "{out}",
    "nsac-inspect report": "{out}/seen/report.html {out}/figures/figure_8a.png "
    "{out}/figures/figure_8a.svg",
    "nsac-inspect saliency": "{out}/seen/*/saliency.npz {out}/seen/*/regions.npz "
    "{out}/saliency_scores.parquet",
    "nsac-inspect traces": "{out}/seen/*/traces.parquet {out}/seen/*/frames.npz "
    "{out}/seen/*/figure_6.png {out}/seen/*/neurons.svg",
    "nsac-inspect wiring": "{out}",
    "nsac-maps import": "{out}",
    "nsac-maps show": "{png}",
    "nsac-record carracing": DATA_SET,
    "nsac-record drop-episodes carracing/privileged-v0 --episodes": DATA_SET,
    "nsac-record export": "{out}/*",
    "nsac-record merge": DATA_SET,
    "nsac-record show": "{out}/*.png",
    "nsac-record udacity": RECORDING,
    "nsac-train": "{out}",
    "nsac-train --expert": "{out}",
    "nsac-train udacity": "{out}",
    "nsac-udacity-sim": "{report}",
    "nsac-udacity-sim --mode": RECORDING,
    "nsac-udacity-sim --mode training --driver keyboard": "",
    "nsac-udacity-sim --mode training --driver scripted": RECORDING,
}
"""Patterns of paths by the key of ``SHORTER``; ``{out}`` is the value of ``--out``."""

OUT = {
    "nsac-bench table1": "runs/table1",
    "nsac-demo": "runs/demo",
    "nsac-evaluate udacity-open-loop": "runs/bench/udacity",
}
"""Where a command writes that is not told; a benchmark in a folder of its name."""


def missing(line: str) -> list[str]:
    """What a command that has been run should have written, and is not in the working folder."""
    key = rule(line)
    word = "".join(key.split()[1:2])
    out = OUT.get(key, f"runs/bench/{word.replace('-', '_')}")
    options = {"out": out, "png": "", "report": "", **_options(line)}
    patterns = WRITTEN.get(key, "").format(**options).split()
    return [pattern for pattern in patterns if not any(Path().glob(pattern))]


def _options(line: str) -> dict[str, str]:
    """The first value of each option of a command."""
    words = shlex.split(line)
    pairs = itertools.pairwise(words)
    return {name.removeprefix("--"): value for name, value in pairs if name.startswith("--")}

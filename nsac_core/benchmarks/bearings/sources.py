"""Where the bearings come from: the authors' public files, copies of them, or a simulation."""

import hashlib
from pathlib import Path

from nsac_core.benchmarks.bearings.recordings import Bearing, read
from nsac_core.benchmarks.data_sets import Source, fetch
from nsac_core.benchmarks.errors import BenchmarkError
from nsac_core.benchmarks.forecasting.readers import unpacked

_AUTHOR = "https://raw.githubusercontent.com/itxwaleedrazzaq"
_CIRCUIT = f"{_AUTHOR}/neuronal_attention_circuit"
_NONE_NEEDED = "nsac-bench synthetic-bearings needs no file"


def _source(name: str, url: str, sha256: str) -> Source:
    return Source(name, url, sha256, own=f"bearings/{name}.csv")


SOURCES = {
    source.name: source
    for source in (
        _source(
            "xjtu_Bearing1_1_features_with_labels",
            f"{_CIRCUIT}/3b868f7193a9cbc70b749f90bcc72eae90864235"
            "/RUL_exp/data/tf_features_xjtu/Bearing1_1_features_with_labels.csv",
            "5ed5b774b5e4f5ff1f02232df54804fca7d40d7b6abe77ffc567ad823ec4cc4e",
        ),
        _source(
            "xjtu_Bearing1_2_features_with_labels",
            f"{_CIRCUIT}/34e5c1155ecb691009e7fa02ffacdcb691356943"
            "/Bearing1_2_features_with_labels.csv",
            "a89d4b3bfe257213b7581621fb70e8d94fdb6de7ed97db810718106d6c213f00",
        ),
        _source(
            "xjtu_Bearing1_3_features_with_labels",
            f"{_CIRCUIT}/42cb4ab95e7689ce5b89e8ad181dfa24ec2a8b4b"
            "/RUL_exp/data/tf_features_xjtu/Bearing1_3_features_with_labels.csv",
            "823f9248c9bc9e0db1ed0704a81b6baedc6f78ce9d0eeb5931f279e0c18d3409",
        ),
        _source(
            "pronostia_Bearing1_3_features",
            f"{_CIRCUIT}/e209afd6025bd607928008bf8739da0285360e98"
            "/RUL_exp/data/tf_features_pronostia/Bearing1_3_features.csv",
            "60486766d3f2cc3f129fd2fc104542208dc5b1da755c8a49269f1db2071c97fc",
        ),
        _source(
            "pronostia_Bearing2_1_features",
            f"{_CIRCUIT}/e209afd6025bd607928008bf8739da0285360e98"
            "/RUL_exp/data/tf_features_pronostia/Bearing2_1_features.csv",
            "2a2e1e2fab00236c557cbadd99a277d3d2149343b1586e714be656561b11f876",
        ),
        _source(
            "hust_Bearing1_features",
            f"{_AUTHOR}/uqpcnn_rul/506dbc80884bc704723d4bb0d65a457454b3337d"
            "/tf_features_hust/Bearing1_features.csv",
            "b5669e2315dd751b6289345eb61d7bc07d9d6c31ac436baaa5dfdebdac9a4e98",
        ),
    )
}
"""By the name of their file; a folder of one's own holds ``bearings/NAME.csv``, or ``.csv.xz``."""


def bearings(data_dir: Path | None = None) -> dict[str, Bearing]:
    """All bearings by name, such as ``xjtu_1_1``, ``pronostia_2_1``, ``hust_1``.

    Args:
        data_dir: Folder with copies in ``bearings``; without one the files come from the user's
            cache, and are downloaded if they are not there.

    Raises:
        BenchmarkError: If a file is missing, cannot be downloaded, or is another than expected.
    """
    found = {}
    for source in SOURCES.values():
        name = source.name.replace("Bearing", "").split("_features")[0]
        path = _fetched(source) if data_dir is None else _copy(source, data_dir)
        found[name] = read(path, unpacked(path)[1], name)
    return found


def _fetched(source: Source) -> Path:
    try:
        return fetch(source)
    except BenchmarkError as fault:
        raise BenchmarkError(f"{fault}; {_NONE_NEEDED}") from None


def _copy(source: Source, folder: Path) -> Path:
    paths = [folder / f"{source.own}{packed}" for packed in ("", ".xz")]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise BenchmarkError(
            f"{paths[0]}: no such file; it should be a copy of {source.url}; {_NONE_NEEDED}"
        )
    digest = hashlib.sha256(unpacked(path)[1]).hexdigest()
    if digest != source.sha256:
        raise BenchmarkError(
            f"{path}: has SHA-256 {digest} unpacked, not {source.sha256}, that of {source.url}"
        )
    return path

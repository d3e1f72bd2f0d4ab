"""ONNX files, built node by node: what goes in and comes out is known in closed form."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

import policies
from drive.observation import ObservationKind, ObservationSpec
from policies import PolicyError
from policies.foreign import onnx_file

GRAY: list[int | str] = ["batch", 4, 84, 84]


def network(
    path: Path,
    shape: list[int | str],
    axes: tuple[int, ...] = (2, 3),
    dtype: int = TensorProto.UINT8,
    outputs: dict[str, float] | None = None,
    divisor: float = 255.0,
    names: tuple[str, ...] = ("pictures",),
) -> Path:
    """Means over ``axes``, divided, the last three of them times a factor for each output."""
    gains = outputs or {"anything": 1.0}
    nodes = [
        helper.make_node("Cast", [names[0]], ["floats"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["floats", "axes"], ["means"], keepdims=0),
        helper.make_node("Slice", ["means", "first", "end", "last_axis"], ["three"]),
        helper.make_node("Div", ["three", "divisor"], ["scaled"]),
        *(helper.make_node("Mul", ["scaled", f"gain_{name}"], [name]) for name in gains),
    ]
    constants = {
        "axes": np.array(axes),
        "first": np.array([-3]),
        "end": np.array([1000]),
        "last_axis": np.array([-1]),
        "divisor": np.array(divisor, np.float32),
        **{f"gain_{name}": np.full(1, gain, np.float32) for name, gain in gains.items()},
    }
    graph = helper.make_graph(
        nodes,
        "means",
        [helper.make_tensor_value_info(name, dtype, shape) for name in names],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [shape[0], "m"]) for name in gains],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    opset = [helper.make_opsetid("", 18)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=9), path)
    return path


def pictures(spec: ObservationSpec, n: int = 3) -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (n, *spec.shape), dtype=np.uint8)


@pytest.mark.parametrize(
    ("shape", "axes", "kind", "frames"),
    [
        (["n", 4, 84, 84], (2, 3), "gray84", 4),
        (["n", 84, 84, 4], (1, 2), "gray84", 4),
        (["n", 3, 96, 96], (2, 3), "rgb96", 1),
        (["n", 96, 96, 3], (1, 2), "rgb96", 1),
        (["n", 6, 96, 96], (2, 3), "rgb96", 2),
        (["n", 1, 96, 96, 3], (1, 2, 3), "rgb96", 1),
    ],
)
def test_the_shape_says_what_is_seen_and_where_it_lies(
    shape: list[int | str],
    axes: tuple[int, ...],
    kind: ObservationKind,
    frames: int,
    tmp_path: Path,
) -> None:
    """Gray means are those of the last three frames, coloured ones of the newest one's colours."""
    policy = policies.load(network(tmp_path / "means.onnx", shape, axes))
    assert policy.name == "means"
    assert policy.observation == ObservationSpec(kind, frames)
    seen = pictures(policy.observation)
    last = seen[:, 1:].mean((2, 3)) if kind == "gray84" else seen[:, -1].mean((1, 2))
    policy.reset(3)
    decision = policy.act(seen)
    np.testing.assert_allclose(decision.action, last / 255, rtol=1e-5)
    assert not decision.epistemic.any()


@pytest.mark.parametrize(("options", "divisor"), [("", 255.0), ("?scale=255", 1.0)])
def test_floats_go_to_255_unless_they_are_scaled(
    options: str, divisor: float, tmp_path: Path
) -> None:
    path = network(tmp_path / "m.onnx", GRAY, dtype=TensorProto.FLOAT, divisor=divisor)
    policy = policies.load(f"{path}{options}")
    seen = pictures(policy.observation)
    expected = seen[:, 1:].mean((2, 3)) / 255
    np.testing.assert_allclose(policy.act(seen).action, expected, rtol=1e-5)


def test_outputs_go_by_their_names(tmp_path: Path) -> None:
    gains = {"value": 9.0, "mean": 4.0, "action": 0.5, "epistemic": 0.1, "aleatoric": 0.2}
    policy = policies.load(network(tmp_path / "m.onnx", GRAY, outputs=gains))
    seen = pictures(policy.observation)
    means, decision = seen[:, 1:].mean((2, 3)) / 255, policy.act(seen)
    for name in ("action", "mean", "aleatoric", "epistemic"):
        np.testing.assert_allclose(getattr(decision, name), gains[name] * means, rtol=1e-5)


def test_a_mean_beyond_the_limits_is_driven_at_them(tmp_path: Path) -> None:
    gains = {"mean": -4.0, "epistemic": 0.1}
    policy = policies.load(network(tmp_path / "m.onnx", GRAY, outputs=gains))
    decision = policy.act(pictures(policy.observation))
    np.testing.assert_array_equal(decision.action, [[-1.0, 0.0, 0.0]] * 3)
    assert (decision.mean < -1.5).all()


def test_a_batch_of_one_does_car_by_car(tmp_path: Path) -> None:
    fixed = policies.load(network(tmp_path / "one.onnx", [1, 4, 84, 84]))
    free = policies.load(network(tmp_path / "any.onnx", GRAY))
    seen = pictures(free.observation)
    np.testing.assert_allclose(fixed.act(seen).action, free.act(seen).action, rtol=1e-6)


def test_a_policy_can_be_sent_to_another_process(tmp_path: Path) -> None:
    policy = policies.load(network(tmp_path / "m.onnx", GRAY))
    seen = pictures(policy.observation)
    sent = pickle.loads(pickle.dumps(policy))
    np.testing.assert_array_equal(sent.act(seen).action, policy.act(seen).action)


@pytest.mark.parametrize(
    ("changes", "options", "words"),
    [
        ({"shape": ["n", 3, 64, 64]}, "", r"takes tensor\(uint8\) of shape \(n, 3, 64, 64\), ex"),
        ({"shape": ["n", 4, "h", "w"]}, "", r"of shape \(n, 4, h, w\)"),
        ({"dtype": TensorProto.INT64}, "", r"takes tensor\(int64\)"),
        ({"shape": [4, 4, 84, 84]}, "", "takes 4 observations at once, expected 1 or any"),
        ({"outputs": {"value": 1.0, "policy": 1.0}}, "", "gives value, policy: expected one out"),
        ({"names": ("a", "b")}, "", r"takes 2 inputs \(a, b\), expected one"),
        ({"divisor": 0.0}, "", "action steer of car 0 is nan"),
        ({}, "?scale=255", "takes uint8, which is not scaled"),
        ({"dtype": TensorProto.FLOAT}, "?scale=0", "scale is '0', expected a number such as 255"),
        ({}, "?shape=4x84x84", "no option 'shape', expected scale"),
    ],
)
def test_what_cannot_be_driven_is_one_line(
    changes: dict[str, Any], options: str, words: str, tmp_path: Path
) -> None:
    path = network(tmp_path / "m.onnx", **{"shape": GRAY, **changes})
    with pytest.raises(PolicyError, match=rf"m\.onnx: .*{words}") as caught:
        policies.load(f"{path}{options}")
    assert "\n" not in str(caught.value)


def test_two_actions_are_too_few(tmp_path: Path) -> None:
    path = network(tmp_path / "m.onnx", ["n", 2, 84, 84])
    with pytest.raises(PolicyError, match=r"action has shape \(3, 2\), expected a \(3, 3\)"):
        policies.load(path)


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    for content in (b"", b"\x08\xff no protobuf", network(path, GRAY).read_bytes()[:-100]):
        path.write_bytes(content)
        with pytest.raises(PolicyError, match=r"m\.onnx: ") as caught:
            policies.load(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("location", ["weights.data", "../secret.data"])
def test_no_other_file_is_read(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it lies, and also where it is the constant of a node."""
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    path = network(folder / "m.onnx", GRAY)
    (folder / location).write_bytes(np.float32(0.5).tobytes())
    model = onnx.load(path)
    gain = next(own for own in model.graph.initializer if own.name == "gain_anything")
    gain.data_location = TensorProto.EXTERNAL
    gain.external_data.add(key="location", value=location)
    gain.ClearField("raw_data")
    as_node = helper.make_node("Constant", [], ["gain_anything"], value=gain)
    path.write_bytes(model.SerializeToString())
    with pytest.raises(PolicyError, match="keeps weights in another file, which is not read: exp"):
        policies.load(path)
    model.graph.initializer.remove(gain)
    model.graph.node.insert(0, as_node)
    path.write_bytes(model.SerializeToString())
    with pytest.raises(PolicyError, match="keeps weights in another file"):
        policies.load(path)


def test_where_onnxruntime_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_file, "_INSTALLED", False)
    with pytest.raises(PolicyError, match=r"needs onnx and onnxruntime: pip install 'nsac-drive\["):
        policies.load(network(tmp_path / "m.onnx", GRAY))

"""ONNX files, by onnxruntime: on one thread, so that the same pictures give the same actions."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policies.errors import PolicyError
from policies.foreign.driver import chosen_outputs
from policies.foreign.layout import KNOWN, Layout, layout_of
from policies.foreign.scaling import scaling_of
from policies.foreign.source import Source

try:
    import onnx
    import onnxruntime
except ImportError:
    _INSTALLED = False
else:
    _INSTALLED = True

_FLOATS = {"tensor(uint8)": False, "tensor(float)": True}
"""Types of input, and whether they are float32."""


class OnnxNetwork:
    """A network of an ONNX file.

    Attributes:
        layout: What it takes.
        batches: Whether it takes any number of observations.

    Args:
        content: The file.
        source: Whence, with its options.

    Raises:
        PolicyError: It takes or gives what cannot be driven; in one line.
    """

    def __init__(self, content: bytes, source: Source) -> None:
        self._content = content
        self._session = _session(content)
        inputs = self._session.get_inputs()
        if len(inputs) != 1:
            names = ", ".join(own.name for own in inputs)
            raise PolicyError(f"takes {len(inputs)} inputs ({names}), expected one")
        self.layout, self.batches = _taken(inputs[0])
        self._input = inputs[0].name
        self._scaling = scaling_of(source, _FLOATS[inputs[0].type])
        self._outputs = chosen_outputs([own.name for own in self._session.get_outputs()])

    def __call__(self, observations: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
        """The outputs that are driven with."""
        given = {self._input: self._scaling(observations)}
        found = self._session.run(list(self._outputs.values()), given)
        return dict(zip(self._outputs, found, strict=True))

    def __getstate__(self) -> dict[str, Any]:
        """All but the session, which cannot be sent to another process."""
        return {**vars(self), "_session": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._session = _session(self._content)


def recognise(source: Source) -> None:
    """Makes sure that onnxruntime is there.

    Raises:
        PolicyError: It is not, or the options are unknown.
    """
    source.choose("scale")
    if not _INSTALLED:
        raise PolicyError("needs onnx and onnxruntime: pip install 'nsac-drive[onnx]'")


def read(source: Source) -> OnnxNetwork:
    """Reads the network of an ONNX file, and no other file.

    Raises:
        PolicyError: It takes or gives what cannot be driven, or is not whole.
    """
    content = source.path.read_bytes()
    model = onnx.load_model_from_string(content)
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in _tensors(model)):
        raise PolicyError(
            "keeps weights in another file, which is not read: export with "
            "external_data=False, or put them in by onnx.save(onnx.load(FILE), NEW)"
        )
    return OnnxNetwork(content, source)


def _session(content: bytes) -> "onnxruntime.InferenceSession":
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _taken(own: "onnxruntime.NodeArg") -> tuple[Layout, bool]:
    """What an input takes, and whether any number of it."""
    batch, *shape = own.shape or [0]
    layout = layout_of(tuple(shape)) if all(isinstance(size, int) for size in shape) else None
    if layout is None or own.type not in _FLOATS:
        sizes = ", ".join(map(str, own.shape))
        raise PolicyError(
            f"takes {own.type} of shape ({sizes}), expected a batch of uint8 or float32 {KNOWN}"
        )
    if isinstance(batch, int) and batch != 1:
        raise PolicyError(f"takes {batch} observations at once, expected 1 or any number")
    return layout, batch != 1


def _tensors(message: Any) -> Iterator[Any]:  # noqa: ANN401 - any message of protobuf
    """All tensors anywhere in it."""
    if isinstance(message, onnx.TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in [value] if hasattr(value, "ListFields") else value:
                yield from _tensors(part)

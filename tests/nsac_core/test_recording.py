import pytest
import torch
from torch import Tensor, nn

from nsac_core import NAC, NSAC, Internals, methods
from nsac_core.methods import METHODS
from nsac_core.methods.protocol import Method
from nsac_core.recording import layers, recording

LAYER = {"model_dim": 16, "heads": 4, "top_k": 3}
TOKENS = torch.randn(5, 4, 6, generator=torch.Generator().manual_seed(0))


class Encoder(nn.Module):
    """With weights of its own, so that the members of an ensemble differ in their tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(6, 6)

    def forward(self, x: Tensor) -> Tensor:
        tokens: Tensor = self.dense(x)
        return tokens


def build(name: str) -> Method:
    torch.manual_seed(1)
    options = {"n_tokens": 4} if name == "sde_net" else LAYER
    return methods.build(name, Encoder(), 6, 2, **options).eval()


def predict(method: Method) -> list[Tensor]:
    generator = torch.Generator().manual_seed(2)
    with torch.inference_mode():
        prediction = method.predict_tokens(method.encode(TOKENS), 3, generator)
    return [prediction.mean, prediction.aleatoric, prediction.epistemic]


@pytest.mark.parametrize("name", METHODS)
def test_recording_changes_no_prediction_and_ends(name: str) -> None:
    method = build(name)
    before = predict(method)
    with recording(method) as records:
        inside = predict(method)
        count = len(records)
    after = predict(method)
    for parts in zip(before, inside, after, strict=True):
        assert torch.equal(parts[0], parts[1])
        assert torch.equal(parts[0], parts[2])
    assert len(records) == count == {"sde_net": 0, "deep_ensemble": 3}.get(name, 1)


def test_the_record_is_that_of_the_pass_that_predicted() -> None:
    method = build("nsac")
    with recording(method) as records:
        mean, *_ = predict(method)
    (layer,) = layers(method)
    assert isinstance(layer, NSAC)
    torch.testing.assert_close(layer._predict(attended(records[0]))[0].mean(0), mean)


def test_the_record_of_each_member_is_its_own() -> None:
    method = build("deep_ensemble")
    with recording(method) as records:
        predict(method)
    whole = method.encode(TOKENS).view(5, 4, 3, 6)
    (stacked,) = layers(method)
    for member, record in enumerate(records):
        alone = NAC(6, 16, **LAYER)  # type: ignore[arg-type]
        own = {name: value[member] for name, value in stacked.state_dict().items()}
        alone.load_state_dict(own)
        _, expected = alone(whole[:, :, member], return_internals=True)
        for name, part in vars(expected).items():
            torch.testing.assert_close(getattr(record, name), part, msg=name)
    assert not torch.equal(records[0].query, records[1].query)


def test_a_motor_neuron_is_the_raw_gate() -> None:
    nsac = NSAC(6, 2, model_dim=16, heads=4, top_k=1)
    internals = nsac(TOKENS[:, :1].expand(-1, 2, -1), return_internals=True)[-1]
    raw = internals.motor[:, :, 0]
    torch.testing.assert_close(raw[..., 0].tanh(), internals.phi[:, :, 0, 0])
    torch.testing.assert_close(
        nn.functional.softplus(raw[..., 2]) + 1e-6, internals.psi[:, :, 0, 0]
    )


def attended(record: Internals) -> Tensor:
    """What attention makes of the values, ``(samples, batch, model_dim)``, key by key."""
    samples, batch, heads, _, chosen = record.weights.shape
    value = record.value.view(batch, -1, heads, record.value.shape[-1] // heads)
    total = torch.zeros(samples, batch, heads, value.shape[-1])
    for row in range(batch):
        for head in range(heads):
            for rank in range(chosen):
                weight = record.weights[:, row, head, 0, rank, None]
                total[:, row, head] += (
                    weight * value[row, record.key_index[row, head, 0, rank], head]
                )
    return total.flatten(2)

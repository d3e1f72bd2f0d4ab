# ruff: noqa: ANN401 - options go through to either layer
"""What holds for both layers, NSAC (its noise switched off) and NAC."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.func import functional_call, stack_module_state, vmap

from nsac_core import NAC, NSAC, Internals

Layer = NSAC | NAC
Build = Callable[..., Layer]


def quiet_nsac(**options: Any) -> NSAC:
    return NSAC(3, 2, **{"model_dim": 16, "heads": 4, "noise_scale": 0.0, **options})


def nac(**options: Any) -> NAC:
    return NAC(3, 2, **{"model_dim": 16, "heads": 4, **options})


@pytest.fixture(params=[quiet_nsac, nac], ids=["NSAC", "NAC"])
def build(request: pytest.FixtureRequest) -> Build:
    torch.manual_seed(0)
    made: Build = request.param
    return made


def tokens(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def outputs(layer: Callable[..., Any], *args: Any, **options: Any) -> list[Tensor]:
    """Predictions ``(batch[, time], out)``: of one draw, where there are draws."""
    result = layer(*args, **options)
    return [result] if isinstance(result, Tensor) else [part[0] for part in result]


def inside(layer: Layer, *args: Any, **options: Any) -> Internals:
    internals = layer(*args, **options, return_internals=True)[-1]
    assert isinstance(internals, Internals)
    return internals


def total(parts: list[Tensor]) -> Tensor:
    return torch.stack([part.square().sum() for part in parts]).sum()


def assert_close(got: list[Tensor], want: list[Tensor], tolerance: float = 2e-6) -> None:
    torch.testing.assert_close(got, want, rtol=1e-5, atol=tolerance)


@pytest.mark.parametrize("time", [6, 24])
def test_padding_of_nan_reaches_no_gradient(build: Build, time: int) -> None:
    layer, x = build(), tokens(2, time, 3)
    mask = torch.ones(2, time, dtype=torch.bool)
    mask[:, time // 2 :] = False
    gradients = []
    for padding in (0.0, torch.nan):
        padded = x.masked_fill(~mask[..., None], padding)
        layer.zero_grad()
        torch.autograd.backward(total(outputs(layer, padded, key_mask=mask)))
        gradients.append([p.grad.clone() for p in layer.parameters() if p.grad is not None])
    assert_close(gradients[1], gradients[0])
    assert all(gradient.isfinite().all() for gradient in gradients[1])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int64])
def test_numbers_of_another_kind_are_read_as_the_layers_own(
    build: Build, dtype: torch.dtype
) -> None:
    layer, x = build(), tokens(2, 6, 3).mul(4).round()
    assert_close(outputs(layer, x.to(dtype)), outputs(layer, x))


def test_a_batch_without_rows_is_refused(build: Build) -> None:
    with pytest.raises(ValueError, match="at least one row"):
        build()(tokens(0, 6, 3))


@pytest.mark.parametrize("length", [2, 5, 8, 9, 20])
@pytest.mark.parametrize("positions", ["last", "all"])
def test_padding_changes_no_row(build: Build, length: int, positions: str) -> None:
    layer, x = build(), tokens(2, 24, 3)
    mask = torch.ones(2, 24, dtype=torch.bool)
    mask[1, length:] = False
    x[1, length:] = 1e3
    padded = outputs(layer, x, key_mask=mask, positions=positions)
    alone = outputs(layer, x[1:, :length], positions=positions)
    whole = outputs(layer, x[:1], positions=positions)
    assert_close([part[0] for part in padded], [part[0] for part in whole])
    kept = slice(length) if positions == "all" else slice(None)
    assert_close([part[1][kept] for part in padded], [part[0] for part in alone])


@pytest.mark.parametrize("time", [6, 24])
def test_masked_keys_get_no_weight(build: Build, time: int) -> None:
    """The published code multiplies logits by the mask: half masked keeps 0.485 of the mass."""
    mask = torch.arange(time).expand(3, -1) % 2 == 0
    inner = inside(build(), tokens(3, time, 3), key_mask=mask, positions="all")
    seen = mask.gather(1, inner.key_index.flatten(1)).view_as(inner.key_index)
    assert torch.equal(seen & inner.key_valid, inner.key_valid)
    assert (inner.weights * ~seen).abs().max() == 0
    torch.testing.assert_close(inner.weights.sum(-1), torch.ones(1, 3, 4, time))
    assert torch.isneginf(inner.logits[:, ~inner.key_valid]).all()


@pytest.mark.parametrize("time", [6, 24])
def test_a_row_without_keys_gets_zeros_and_finite_gradients(build: Build, time: int) -> None:
    layer, x = build(), tokens(2, time, 3).requires_grad_()
    mask = torch.ones(2, time, dtype=torch.bool)
    mask[0] = False
    inner = inside(layer, x, key_mask=mask)
    assert inner.weights[:, 0].abs().max() == 0
    predicted = outputs(layer, x, key_mask=mask)
    with torch.no_grad():
        layer.value_gate.bias.add_(1.0)  # moves every value, which the empty row does not read
    moved = outputs(layer, x, key_mask=mask)
    assert torch.equal(moved[0][0], predicted[0][0])
    assert not torch.equal(moved[0][1], predicted[0][1])
    total(predicted).backward()  # type: ignore[no-untyped-call]
    gradients = [x.grad, *(parameter.grad for parameter in layer.parameters())]
    assert all(g is not None and g.isfinite().all() for g in gradients)


def test_last_position_is_the_last_of_all(build: Build) -> None:
    layer, x = build(), tokens(3, 40, 3)
    every = outputs(layer, x, positions="all")
    assert every[0].shape == (3, 40, 2)
    assert_close(outputs(layer, x), [part[:, -1] for part in every])


@pytest.mark.parametrize("chunk", [1, 7, 40, 100])
def test_chunks_change_nothing(build: Build, chunk: int) -> None:
    layer, x = build(), tokens(2, 40, 3)
    expected = outputs(layer, x, positions="all", chunk=40)
    assert_close(outputs(layer, x, positions="all", chunk=chunk), expected)


def test_internals_join_chunks_in_order(build: Build) -> None:
    layer, x = build(), tokens(2, 40, 3)
    whole, parts = (inside(layer, x, positions="all", chunk=chunk) for chunk in (40, 7))
    for name, value in vars(whole).items():
        torch.testing.assert_close(getattr(parts, name), value, rtol=1e-4, atol=1e-5, msg=name)


def test_cross_attention_reads_its_own_keys(build: Build) -> None:
    layer = build()
    query, key, value = tokens(2, 5, 3), tokens(2, 30, 3, seed=1), tokens(2, 30, 3, seed=2)
    every = outputs(layer, (query, key, value), positions="all")
    assert every[0].shape == (2, 5, 2)
    assert_close(outputs(layer, (query, key, value)), [part[:, -1] for part in every])
    assert_close(outputs(layer, (key, key, key)), outputs(layer, key))
    mask = torch.ones(2, 30, dtype=torch.bool)
    mask[:, 20:] = False
    short = (query, key[:, :20], value[:, :20])
    assert_close(outputs(layer, (query, key, value), key_mask=mask), outputs(layer, short))


def test_times_move_the_process(build: Build) -> None:
    layer, x = build(), tokens(2, 6, 3)
    ones = inside(layer, x, times=torch.ones(2, 6)).time
    assert torch.equal(ones, inside(layer, x).time)
    assert torch.equal(ones, inside(layer, x, times=torch.tensor(1.0)).time)
    clock = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.0, 2.5])
    late = inside(layer, x, times=clock).time
    still = inside(layer, x, times=torch.tensor(0.0)).time
    # logit(time) is linear in the clock
    torch.testing.assert_close(
        late.logit() - still.logit(), 2.5 * (ones.logit() - still.logit()), rtol=1e-4, atol=1e-5
    )


def test_internals_are_those_of_the_pass_that_predicted(build: Build) -> None:
    layer, x = build(), tokens(3, 20, 3)
    with_them = layer(x, return_internals=True)[:-1]
    assert_close(
        [part[0] for part in with_them] if len(with_them) == 2 else list(with_them),
        outputs(layer, x),
        0.0,
    )


@pytest.mark.parametrize("time", [6, 24])
def test_authors_mode_makes_the_gates_constant(build: Build, time: int) -> None:
    """One step from a zero state: no input reaches the motors. Three hops: every one does."""
    for published in (True, False):
        inner = inside(build(authors_mode=published), tokens(5, time, 3), positions="all")
        for gate in (inner.phi, inner.kappa):
            assert bool((gate == gate.flatten()[0]).all()) == published
        spread = inner.inter.std((0, 2)).mean()
        assert spread > 1e-2  # the inter neurons see the pair in either


def test_authors_mode_moves_no_synapse(build: Build) -> None:
    """Only what the published code trains gets a gradient: 85 to 92 % of its parameters do not."""
    layer = build(authors_mode=True)
    with torch.no_grad():
        layer.backbone.motor.bias.uniform_(0.5, 1.0)  # a level of 0 would hide the time
    total(outputs(layer, tokens(4, 12, 3))).backward()  # type: ignore[no-untyped-call]
    idle = {
        name
        for name, parameter in layer.named_parameters()
        if parameter.grad is None or not parameter.grad.any()
    }
    assert idle == {
        f"backbone.{name}"
        for name in ("inter_weight", "inter_bias", "command.weight", "command.bias", "motor.weight")
    }


@pytest.mark.parametrize("time", [6, 24])
@pytest.mark.parametrize("masked", [False, True])
def test_members_run_as_one_under_vmap(build: Build, time: int, masked: bool) -> None:
    members, x = [build() for _ in range(3)], tokens(3, 5, time, 3)
    mask = tokens(3, 5, time, seed=1) < 0.5 if masked else None
    parameters, buffers = stack_module_state(members)

    def member(parameters: Any, buffers: Any, x: Tensor, mask: Tensor | None) -> tuple[Tensor, ...]:
        state, options = (parameters, buffers), {"key_mask": mask, "positions": "all"}
        result = functional_call(members[0], state, (x,), options)
        return (result,) if isinstance(result, Tensor) else tuple(part[0] for part in result)

    axes = (0, 0, 0, 0 if masked else None)
    together = vmap(member, axes, randomness="different")(parameters, buffers, x, mask)
    for row, each in enumerate(members):
        of_row = None if mask is None else mask[row]
        alone = outputs(each, x[row], key_mask=of_row, positions="all")
        assert_close([part[row] for part in together], alone)


@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a `functools.lru_cache`")
def test_compiled_layers_return_the_same(build: Build) -> None:
    layer, x = build(), tokens(2, 24, 3)
    compiled = torch.compile(layer, backend="eager")
    with torch.no_grad():
        assert_close(outputs(compiled, x), outputs(layer, x))


def test_meta_tensors_pass(build: Build) -> None:
    """No step depends on what the tensors hold."""
    layer = build().to("meta")
    for time in (4, 30):
        x = torch.empty(5, time, 3, device="meta")
        mask = torch.ones(5, time, dtype=torch.bool, device="meta")
        for found in outputs(layer, x, key_mask=mask, positions="all"):
            assert found.device.type == "meta"
            assert found.shape == (5, time, 2)


def test_every_tensor_is_made_where_the_input_lives(build: Build) -> None:
    layer, x, mask = build(), tokens(2, 30, 3), torch.ones(2, 30, dtype=torch.bool)
    expected = outputs(layer, x, key_mask=mask)
    with torch.device("meta"):  # a tensor made without a device would be lost here
        found = outputs(layer, x, key_mask=mask)
        elsewhere = build()
    assert_close(found, expected, 0.0)
    state = [*elsewhere.parameters(), *elsewhere.buffers()]
    assert all(tensor.device.type == "meta" for tensor in state)


def test_autocast_selects_the_same_keys_and_keeps_the_process_in_float32(build: Build) -> None:
    layer, x = build(model_dim=64, heads=16), tokens(4, 200, 3)
    exact = inside(layer, x, positions="all")
    with torch.autocast("cpu", torch.bfloat16):
        inner = inside(layer, x, positions="all")
    assert torch.equal(inner.key_index, exact.key_index)
    assert {part.dtype for part in (inner.kappa, inner.time, inner.logits)} == {torch.float32}
    torch.testing.assert_close(inner.ou_mean, exact.ou_mean, rtol=0.05, atol=0.01)


def test_state_dict_round_trip(build: Build) -> None:
    source, target, x = build(), build(), tokens(2, 12, 3)
    assert not torch.equal(outputs(target, x)[0], outputs(source, x)[0])
    target.load_state_dict(source.state_dict())
    assert_close(outputs(target, x), outputs(source, x), 0.0)


def test_the_wiring_seed_decides_the_circuit(build: Build) -> None:
    first, again, other = (build(wiring_seed=seed).backbone.command.mask for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_print_tells_sizes_and_options(build: Build) -> None:
    text = repr(build(top_k=5, activation="elu", authors_mode=True)).splitlines()[1]
    for part in ("input_dim=3", "output_dim=2", "model_dim=16", "heads=4", "top_k=5"):
        assert part in text
    assert "activation=elu" in text
    assert "authors_mode=True" in text


def test_a_context_is_all_that_queries_attend_to(build: Build) -> None:
    layer, x = build(context=20), tokens(2, 27, 3)
    known = x[:, :20]
    whole = outputs(layer, x, positions="all")
    assert_close(whole, outputs(layer, (x, known, known), positions="all"))
    assert_close(outputs(layer, x, positions="asked"), [part[:, 20:] for part in whole])
    x[:, 25] += 1
    changed = outputs(layer, x, positions="asked")
    kept = [0, 1, 2, 3, 4, 6]
    assert_close([part[:, kept] for part in changed], [part[:, 20:][:, kept] for part in whole])


def test_time_stamps_may_be_a_feature_of_the_tokens(build: Build) -> None:
    layer, x = build(), tokens(2, 12, 3)
    given = outputs(layer, x, times=x[..., 1], positions="all")
    layer.time_feature, layer.positions = 1, "all"
    assert_close(outputs(layer, x), given)
    layer.time_feature = None
    assert_close(outputs(layer, x), outputs(layer, x, times=torch.ones(())))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m(torch.zeros(2, 4, 5)), r"query must be \(batch, time, 3\), got \(2, 4, 5\)"),
        (lambda m: m(torch.zeros(2, 3)), r"query must be \(batch, time, 3\)"),
        (lambda m: m(torch.zeros(2, 0, 3)), r"query must be \(batch, time, 3\)"),
        (lambda m: m((torch.zeros(2, 4, 3), torch.zeros(1, 4, 3), torch.zeros(1, 4, 3))), "agree"),
        (lambda m: m(torch.zeros(2, 4, 3), key_mask=torch.ones(2, 4)), "key_mask must be bool"),
        (lambda m: m(torch.zeros(2, 4, 3), times=torch.ones(2)), "times must be a scalar"),
        (lambda m: m(torch.zeros(2, 4, 3), positions="first"), "positions must be 'last', 'all'"),
        (lambda m: m(torch.zeros(2, 4, 3), positions="asked"), "'asked' need a context"),
        (lambda m: m(torch.zeros(2, 4, 3), chunk=0), "chunk must be 'auto' or at least 1, got 0"),
        (lambda m: m(torch.zeros(2, 4, 3), chunk="foo"), "at least 1, got 'foo'"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(build: Build, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(build())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model_dim": 10}, "10 is not a multiple of heads 4"),
        ({"activation": "gelu"}, "activation must be one of"),
        ({"top_k": 0}, "top_k must be at least 1"),
        ({"heads": 0}, "heads must be at least 1, got 0"),
        ({"heads": 2.0}, "heads must be a whole number, got 2.0"),
        ({"sparsity": "half"}, "sparsity must lie in .*, got 'half'"),
        ({"wiring_seed": -1}, "wiring_seed must be at least 0, got -1"),
        ({"authors_mode": "no"}, "authors_mode must be True or False, got 'no'"),
        ({"time_feature": 3}, "time_feature must be below 3, got 3"),
        ({"context": 0}, "context must be at least 1, got 0"),
        ({"sparsity": 0.95}, r"sparsity must lie in \[0.1, 0.9\], got 0.95"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    build: Build, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        build(**options)

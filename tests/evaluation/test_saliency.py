"""Saliency: maps against planted policies, closed forms, differences and the package grad-cam."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from torch import Tensor, nn

import policies
from drive.carracing.observations import FrameStack
from drive.carracing.regions import Region, Regions, regions
from drive.carracing.world import CarRacingWorld
from evaluation import EvaluationError
from evaluation.inspection.saliency.cells import find_layer, grid_of, of_frame, tapped
from evaluation.inspection.saliency.curves import aimless, curves
from evaluation.inspection.saliency.lens import KINDS, Lens, MapKind
from evaluation.inspection.saliency.maps import saliency_maps, scaled
from evaluation.inspection.saliency.network import OwnNetwork, PictureNetwork, network_of
from evaluation.inspection.saliency.sanity import randomised, rank_correlations, sanity
from evaluation.inspection.saliency.scores import areas, shares
from nsac_core.methods import METHODS
from policies import checkpoint
from policies.checkpoint import Header
from policies.driving_policy import DrivingPolicy
from policies.ppo.driver import ExpertDriver
from policies.ppo.network import Actor

Stacks = NDArray[np.uint8]


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def looker(part: str) -> PictureNetwork:
    """The network of a policy that looks at the ``dashboard`` or the ``edge`` only."""
    return network_of(policies.load(f"planted_lookers:{part}_looker"))


@pytest.fixture(scope="module")
def seen() -> tuple[Stacks, Regions]:
    """Some stacks of the privileged driver on a lap, and the regions of their newest frames."""
    driver = policies.load("privileged")
    driver.reset(1)
    world = CarRacingWorld(renderer="fast", observation="gray84", map="seed:42")
    frame, _ = world.reset(seed=0)
    stack, stacks, found = FrameStack(1), [], []
    for step in range(96):
        stacked = stack.push(frame[None])[0]
        if step >= 60 and step % 7 == 0:
            stacks.append(stacked)
            found.append(regions(world))
        frame, *_ = world.step(driver.act([world]).action[0])
    return np.stack(stacks), np.stack(found)


def network(method: str = "gmle", encoder: str = "strided", **options: Any) -> PictureNetwork:  # noqa: ANN401
    torch.manual_seed(0)
    header = Header(method, options, encoder=encoder)
    return network_of(DrivingPolicy(checkpoint.build_method(header), method))


@pytest.mark.parametrize("kind", ["gradcam", "gradient"])
def test_who_looks_at_the_dashboard_only_is_found_out(
    kind: MapKind, seen: tuple[Stacks, Regions]
) -> None:
    stacks, found = seen
    maps = saliency_maps(looker("dashboard"), stacks, Lens(kind))
    assert (shares(maps, found)[:, Region.DASHBOARD] > 0.9).all()


@pytest.mark.parametrize("kind", ["gradcam", "gradient"])
def test_who_looks_at_the_road_edge_only_is_found_out(
    kind: MapKind, seen: tuple[Stacks, Regions]
) -> None:
    """The rest is the outline of the car, and where the tiles and the patches of grass meet."""
    stacks, found = seen
    maps = saliency_maps(looker("edge"), stacks, Lens(kind))
    share, area = shares(maps, found), areas(found)
    assert (share.argmax(axis=1) == Region.EDGE).all()
    assert share[:, Region.EDGE].min() > 0.85
    assert area[:, Region.EDGE].mean() < 0.08
    assert share[:, Region.DASHBOARD].max() == 0


class Flat(nn.Module):
    """Maps as fine as the picture, so that nothing is spread."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Conv2d(4, 3, 1)
        self.relu = nn.ReLU()

    def forward(self, stacks: Tensor) -> Tensor:
        maps: Tensor = self.relu(self.fine(stacks)).square().mean((2, 3))
        return maps * maps.new_tensor([1.0, 2.0, 0.5])


def test_a_gradient_is_what_one_pixel_changes(seen: tuple[Stacks, Regions]) -> None:
    judged, stacks = OwnNetwork(policies.load("nsac"), Flat()), seen[0][:1]
    drawn = saliency_maps(judged, stacks, Lens("gradient", action="gas"))[0]
    judged.double()
    for row, column in ((3, 5), (40, 60), np.unravel_index(drawn.argmax(), drawn.shape)):
        ends = []
        for change in (-1e-4, 1e-4):
            moved = scaled(stacks).double()
            moved[0, -1, row, column] += change
            ends.append(float(judged(moved)[0, 1]))
        assert drawn[row, column] == pytest.approx(abs(ends[1] - ends[0]) / 2e-4, rel=1e-3)


@pytest.mark.parametrize(
    ("kind", "name"), [("gradcam", "GradCAM"), ("gradcam++", "GradCAMPlusPlus")]
)
def test_maps_are_those_of_the_package(
    kind: MapKind, name: str, seen: tuple[Stacks, Regions]
) -> None:
    """Up to its scaling, of each map from its least value to its largest."""
    import pytorch_grad_cam as package  # noqa: PLC0415 - takes seconds

    torch.manual_seed(3)
    judged, stacks = OwnNetwork(policies.load("nsac"), Flat()), seen[0][:2]
    ours = saliency_maps(judged, stacks, Lens(kind, sign="positive"))
    judged.requires_grad_(True)
    theirs = getattr(package, name)(judged, [judged.get_submodule("network.relu")])
    expected = theirs(scaled(stacks), [lambda output: output[0]] * 2)
    ours -= ours.min(axis=(1, 2), keepdims=True)
    ours /= ours.max(axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(ours, expected, atol=1e-4)


def test_eigencam_is_the_first_principal_component(seen: tuple[Stacks, Regions]) -> None:
    """Of the positions' features; its larger side counts as positive."""
    judged, stacks = network(), seen[0][:2]
    drawn = saliency_maps(judged, stacks, Lens("eigencam"))
    layer = find_layer(judged, "relu3")
    output = of_frame(tapped(judged, layer, scaled(stacks)).outputs[0], 2, 0)
    for maps, ours in zip(output.detach().flatten(2).double().numpy(), drawn, strict=True):
        component = PCA(1).fit_transform(maps.T)[:, 0]
        component *= np.sign(component[np.abs(component).argmax()])
        cells = np.maximum(component, 0).reshape(1, 6, 6)
        expected = grid_of(judged, layer).pixels(cells)[0]
        np.testing.assert_allclose(ours, expected, atol=1e-4 * expected.max())


def test_equal_members_of_an_ensemble_look_as_one(seen: tuple[Stacks, Regions]) -> None:
    one, both = network(), network("deep_ensemble", members=2)
    state = {name: torch.stack([value, value]) for name, value in one.state_dict().items()}
    both.load_state_dict(state)
    for kind in ("gradcam", "gradient"):
        maps = [saliency_maps(part, seen[0][:2], Lens(kind)) for part in (one, both)]
        assert maps[0].max() > 0
        np.testing.assert_allclose(maps[1], maps[0], rtol=1e-3, atol=1e-3 * maps[0].max())


@pytest.mark.parametrize("method", [*METHODS, "ppo", "ppo on strided"])
def test_every_driver_can_be_asked(method: str, seen: tuple[Stacks, Regions]) -> None:
    torch.manual_seed(0)
    if method.startswith("ppo"):
        judged = network_of(ExpertDriver(Actor("strided" if "strided" in method else "stack")))
    else:
        judged = network(method, **({"n_tokens": "last"} if method == "sde_net" else {}))
    for kind in KINDS:
        maps = saliency_maps(judged, seen[0][:2], Lens(kind))
        assert maps.shape == (2, 84, 84)
        assert np.isfinite(maps).all()
        assert (maps >= 0).all()
        assert (maps.max(axis=(1, 2)) > 0).all()
    steer, gas = (
        saliency_maps(judged, seen[0][:2], Lens("gradient", action=action))
        for action in ("steer", "gas")
    )
    assert not np.allclose(steer, gas)


def test_coloured_pictures_are_asked_at_their_own_size() -> None:
    stacks = np.random.default_rng(0).integers(0, 256, (2, 4, 96, 96, 3), dtype=np.uint8)
    for kind in ("gradcam", "gradient"):
        assert saliency_maps(network("gmle", "colour"), stacks, Lens(kind)).shape == (2, 96, 96)


def test_a_frame_that_is_not_read_is_not_salient(seen: tuple[Stacks, Regions]) -> None:
    last = network("sde_net", n_tokens="last")
    newest, before, every = (
        saliency_maps(last, seen[0][:2], Lens("gradient", frame=frame)) for frame in (0, 1, "all")
    )
    assert newest.max() > 0
    assert before.max() == 0
    np.testing.assert_array_equal(every, newest)


def test_one_sided_maps_are_of_one_sign(seen: tuple[Stacks, Regions]) -> None:
    judged = network()
    either, positive = (
        saliency_maps(judged, seen[0], Lens(sign=sign)) for sign in ("either", "positive")
    )
    assert (positive <= either + 1e-9).all()
    assert (positive < either).any()


def test_cells_lie_where_they_look() -> None:
    """Strides 3, 2, 2 of kernels 5, 3, 3 without padding: the middle of cell k is 12 k + 11."""
    judged = network()
    grid = grid_of(judged, find_layer(judged, ""))
    for shares_of_cells in (grid.rows, grid.columns):
        assert shares_of_cells.shape == (84, 6)
        places = [11, 23, 35, 47, 59, 71]
        np.testing.assert_allclose(shares_of_cells[places], np.eye(6), atol=0.05)
        # The last of the 84 pixels is beyond what the kernels reach.
        np.testing.assert_allclose(shares_of_cells.sum(axis=1), [1.0] * 83 + [0.0])


def test_the_papers_layer_is_the_48_channel_map() -> None:
    judged = network(encoder="conv")
    assert find_layer(judged, "") == "method.encoder.relu2"
    assert find_layer(judged, "pool2") == "method.encoder.pool2"


@pytest.mark.parametrize(
    ("lens", "words"),
    [
        (Lens(layer="relu9"), r"no layer 'relu9' .*mean relu\d\? expected one of conv1, relu1"),
        (Lens(layer="dense"), "no layer 'dense' with maps"),
        (Lens(frame=4), r"frame is 4, expected 0 \(the newest\) to 3, or all"),
    ],
)
def test_what_is_not_there_is_named(lens: Lens, words: str, seen: tuple[Stacks, Regions]) -> None:
    with pytest.raises(EvaluationError, match=words):
        saliency_maps(network(), seen[0][:1], lens)


def test_a_driver_without_a_network_is_named() -> None:
    with pytest.raises(EvaluationError, match="privileged: has no saliency"):
        network_of(policies.load("privileged"))


class Faulty(nn.Module):
    """Gives two actions, or forgets where they came from."""

    def __init__(self, actions: int) -> None:
        super().__init__()
        self.actions = actions

    def forward(self, stacks: Tensor) -> Tensor:
        return stacks.detach().mean((1, 2, 3))[:, None].expand(-1, self.actions)


@pytest.mark.parametrize(
    ("actions", "words"),
    [(2, r"network gives \(1, 2\), expected \(1, 3\)"), (3, "network keeps no gradient")],
)
def test_a_faulty_network_is_named(actions: int, words: str, seen: tuple[Stacks, Regions]) -> None:
    judged = OwnNetwork(policies.load("nsac"), Faulty(actions))
    with pytest.raises(EvaluationError, match=words):
        saliency_maps(judged, seen[0][:1], Lens("gradient"))


def test_asking_changes_no_decision(seen: tuple[Stacks, Regions]) -> None:
    torch.manual_seed(0)
    policy = DrivingPolicy(checkpoint.build_method(Header("nsac")), "driver")
    judged = network_of(policy)
    policy.reset(2)
    before = policy.act(seen[0][:2])
    sanity(judged, randomised(judged), seen[0][:2], Lens("gradient"))
    policy.reset(2)
    np.testing.assert_array_equal(policy.act(seen[0][:2]).mean, before.mean)
    assert all(weights.requires_grad for weights in policy.method.parameters())


def test_shares_of_mass() -> None:
    found = np.array([[[0, 0], [1, 4]]], dtype=np.uint8)
    maps = np.array([[[1, 2], [3, 4]]], dtype=np.float32)
    np.testing.assert_allclose(shares(maps, found), [[0.3, 0.3, 0, 0, 0.4, 0]], atol=1e-12)
    np.testing.assert_allclose(areas(found), [[0.5, 0.25, 0, 0, 0.25, 0]])
    assert np.isnan(shares(0 * maps, found)).all()


def test_deletion_finds_what_matters(seen: tuple[Stacks, Regions]) -> None:
    judged, (stacks, found) = looker("dashboard"), seen
    aimed = curves(judged, stacks, (found == Region.DASHBOARD).astype(np.float32), Lens())
    blind = curves(judged, stacks, aimless(len(stacks), (84, 84)), Lens())
    away = curves(judged, stacks, (found != Region.DASHBOARD).astype(np.float32), Lens())
    assert aimed.deletion[0] == aimed.insertion[-1] == 0
    assert (
        aimed.deletion[-1] == pytest.approx(aimed.insertion[0]) == pytest.approx(away.insertion[0])
    )
    assert aimed.deletion_area > blind.deletion_area > away.deletion_area
    assert aimed.insertion_area < blind.insertion_area < away.insertion_area
    # The dashboard is an eighth of the picture.
    assert aimed.insertion[2:].max() == 0
    assert away.deletion[:9].max() == 0


def test_maps_of_shuffled_weights_are_others(seen: tuple[Stacks, Regions]) -> None:
    judged = looker("edge")
    course = sanity(judged, randomised(judged), seen[0], Lens("gradient"))
    assert list(course) == ["network.change"]
    trained = network_of(policies.load("nsac"))
    course = sanity(trained, randomised(trained), seen[0][:2], Lens("gradient"))
    assert next(iter(course)) == "method.layer.log_std_head"
    assert list(course)[-1] == "method.encoder.conv1"
    # The mean does not depend on the head of the uncertainty.
    assert course["method.layer.log_std_head"] == pytest.approx(1.0)
    assert course["method.encoder.conv1"] < 0.5


def test_shuffling_keeps_the_weights_and_their_places(seen: tuple[Stacks, Regions]) -> None:
    judged = network()
    before = {name: value.clone() for name, value in judged.state_dict().items()}
    course = randomised(judged)
    for name, value in judged.state_dict().items():
        assert torch.equal(value, before[name])
    for name, value in course[-1].network.named_parameters():
        assert value.shape == before[name].shape
        torch.testing.assert_close(value.flatten().sort()[0], before[name].flatten().sort()[0])
    assert not torch.equal(
        course[-1].network.state_dict()["method.encoder.conv1.weight"],
        before["method.encoder.conv1.weight"],
    )
    first = course[0].network.state_dict()["method.encoder.conv1.weight"]
    assert torch.equal(first, before["method.encoder.conv1.weight"])


def test_rank_correlation_is_spearmans() -> None:
    maps = np.random.default_rng(0).random((3, 4, 4), dtype=np.float32)
    others = np.stack([maps[0] ** 3, -maps[1], np.zeros((4, 4), np.float32)])
    np.testing.assert_allclose(rank_correlations(maps, others), [1.0, -1.0, np.nan])

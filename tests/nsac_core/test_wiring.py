import numpy as np
import pytest
from ncps.wirings import AutoNCP

from nsac_core.wiring import Wiring, backbone_wiring, draw, sensory_wiring


@pytest.mark.parametrize("neurons", range(4, 130, 3))
def test_a_sensory_gate_has_as_many_inter_neurons_as_asked(neurons: int) -> None:
    assert sensory_wiring(5, neurons, 0.5).inter == neurons


def published_parameters(wiring: Wiring, outputs: int) -> int:
    """What the authors' cell of this wiring holds: dense weights, masks, input and output maps."""
    cell = 2 * wiring.inputs * wiring.units + 2 * wiring.units**2 + 2 * wiring.units
    return cell + 2 * wiring.inputs + 2 * outputs


def test_sizes_give_the_published_parameter_counts() -> None:
    """EXPERIMENTS 3.11: model width 32, 4 heads, one input feature."""
    gate = published_parameters(sensory_wiring(1, 32, 0.5), 32)
    backbone = published_parameters(backbone_wiring(16, 32, 3, 0.5), 3)
    assert gate == 5896
    assert backbone == 17_378
    assert published_parameters(backbone_wiring(16, 32, 1, 0.5), 1) == 17_374
    time, projection, heads = 34, 2112, 66
    assert 3 * gate + backbone + time + projection + heads == 37_278


def test_masks_are_the_synapses_of_the_ncps_package() -> None:
    ncp = AutoNCP(170, 3, sparsity_level=0.5, seed=22222)
    ncp.build(8)
    wiring = backbone_wiring(8, 64, 3, 0.5)
    assert (wiring.inter, wiring.command, wiring.motor) == (101, 66, 3)
    synapses = sum(
        int(mask.sum())
        for mask in (wiring.inter_to_command, wiring.command_to_command, wiring.command_to_motor)
    )
    assert synapses == ncp.synapse_count
    assert wiring.sensory_to_inter.sum() == ncp.sensory_synapse_count


@pytest.mark.parametrize("sparsity", [0.1, 0.5, 0.9])
def test_every_neuron_lies_on_a_path_from_input_to_motor(sparsity: float) -> None:
    wiring = backbone_wiring(8, 64, 3, sparsity)
    assert wiring.sensory_to_inter.any(0).all()
    assert wiring.inter_to_command.any(1).all()
    assert wiring.inter_to_command.any(0).all()
    assert wiring.command_to_motor.any(1).all()
    assert wiring.command_to_motor.any(0).all()


def test_the_seed_decides_the_wiring() -> None:
    first, again, other = (draw(8, 100, 3, 0.5, seed) for seed in (1, 1, 2))
    assert np.array_equal(first.inter_to_command, again.inter_to_command)
    assert not np.array_equal(first.inter_to_command, other.inter_to_command)


def test_an_impossible_sparsity_is_refused() -> None:
    with pytest.raises(ValueError, match=r"sparsity must lie in \[0.1, 0.9\], got 0.95"):
        draw(8, 100, 3, 0.95)

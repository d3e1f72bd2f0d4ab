import numpy as np
import torch

import policies
from evaluation.inspection.trace_columns import of_car, table
from evaluation.inspection.wiring_figure import Circuit, activities, wiring_figure
from nsac_core import NAC, NSAC
from nsac_core.wiring import backbone_wiring


def test_the_circuit_is_that_of_the_wiring() -> None:
    torch.manual_seed(0)
    layer = NSAC(6, 2, model_dim=16, heads=4)
    circuit = Circuit.of(layer)
    wiring = backbone_wiring(8, 16, 3, 0.5)
    assert circuit.sizes == (8, wiring.inter, wiring.command, 3)
    np.testing.assert_array_equal(circuit.synapses[1] != 0, wiring.inter_to_command)
    np.testing.assert_array_equal(circuit.synapses[2] != 0, wiring.command_to_motor)
    assert circuit.sensory[0] == "query 0"
    assert circuit.sensory[4] == "key 0"
    assert Circuit.of(NAC(6, 2, model_dim=16, heads=4)).motors == ("logit",)


def test_activities_are_the_neurons_of_the_row() -> None:
    layer = NSAC(6, 2, model_dim=16, heads=4)
    record = layer(torch.randn(2, 5, 6), return_internals=True)[-1]
    row = table([[of_car(record, 1)]]).iloc[0]
    sensory, inter, command, motor = activities(row, 4)
    np.testing.assert_allclose(
        sensory[:4], record.query[1, 0].view(4, 4).mean(0).detach(), atol=1e-6
    )
    np.testing.assert_allclose(inter, record.inter[1, :, 0].mean(0), atol=1e-6)
    np.testing.assert_allclose(command, record.command[1, :, 0].mean(0), atol=1e-6)
    np.testing.assert_allclose(motor, record.motor[1, :, 0].mean(0), atol=1e-6)


def test_every_neuron_and_every_synapse_is_drawn() -> None:
    circuit = Circuit.of(NSAC(6, 2, model_dim=16, heads=4))
    activity = [np.linspace(-1, 1, size) for size in circuit.sizes]
    for known in (None, activity):
        axes = wiring_figure(circuit, "a circuit", known).axes[0]
        lines, dots = axes.collections[:3], axes.collections[3:7]
        assert [len(own.get_segments()) for own in lines] == [  # type: ignore[attr-defined]
            np.count_nonzero(own) for own in circuit.synapses
        ]
        assert [len(own.get_offsets()) for own in dots] == list(circuit.sizes)  # type: ignore[arg-type]


def test_the_bundled_driver_has_inhibiting_and_exciting_synapses() -> None:
    policy = policies.load("nsac")
    synapses = Circuit.of(policy.method.layer).synapses  # type: ignore[attr-defined]
    assert all((own > 0).any() and (own < 0).any() for own in synapses)

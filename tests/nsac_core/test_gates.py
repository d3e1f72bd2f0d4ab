import torch

from nsac_core.gates import Backbone, SensoryGate


def test_a_sensory_gate_has_no_memory() -> None:
    gate = SensoryGate(3, 16, 0.5)
    x = torch.randn(2, 9, 3)
    changed = x.clone()
    changed[:, :5] = torch.randn(2, 5, 3)
    assert torch.equal(gate(x)[:, 5:], gate(changed)[:, 5:])
    torch.testing.assert_close(gate(x)[:, 4], gate(x[:, 4]))


def potentials_neuron_by_neuron(backbone: Backbone, pair: torch.Tensor) -> list[torch.Tensor]:
    """The circuit hop by hop along its synapses, in plain loops."""
    wiring = backbone.wiring
    inter = [
        torch.tanh(backbone.inter_bias[j] + pair @ backbone.inter_weight[:, j])
        for j in range(wiring.inter)
    ]
    command = [
        torch.tanh(
            backbone.command.bias[j]
            + sum(
                inter[i] * backbone.command.weight[j, i]
                for i in range(wiring.inter)
                if wiring.inter_to_command[i, j]
            )
        )
        for j in range(wiring.command)
    ]
    return [
        backbone.motor.bias[j]
        + sum(
            command[i] * backbone.motor.weight[j, i]
            for i in range(wiring.command)
            if wiring.command_to_motor[i, j]
        )
        for j in range(wiring.motor)
    ]


def test_the_backbone_propagates_three_hops_with_tanh_potentials() -> None:
    backbone = Backbone(head_dim=2, model_dim=16, motors=3, sparsity=0.5)
    with torch.no_grad():
        for parameter in backbone.parameters():
            parameter.normal_()  # weights off the synapses too: the mask must hide them
        query, key = torch.randn(5, 2), torch.randn(5, 2)
        motor = backbone(query, key).motor
        for row in range(5):
            expected = potentials_neuron_by_neuron(backbone, torch.cat([query[row], key[row]]))
            torch.testing.assert_close(motor[row], torch.stack(expected), rtol=1e-5, atol=2e-5)


def test_rates_are_those_of_tanh_potentials() -> None:
    backbone = Backbone(head_dim=2, model_dim=16, motors=3, sparsity=0.5)
    query, key = torch.randn(7, 2), torch.randn(7, 2)
    rate = backbone(query, key).inter_rate[:, : backbone.wiring.inter]
    drive = torch.cat([query, key], 1) @ backbone.inter_weight + backbone.inter_bias
    torch.testing.assert_close(2 * rate - 1, drive.tanh(), rtol=0, atol=1e-6)


def test_every_synapse_learns_and_nothing_else_does() -> None:
    backbone = Backbone(head_dim=4, model_dim=64, motors=3, sparsity=0.5)
    motor = backbone(torch.randn(64, 4), torch.randn(64, 4)).motor
    motor.square().sum().backward()
    for name, parameter in backbone.named_parameters():
        assert parameter.grad is not None, name
        reached = parameter.grad != 0
        module = getattr(backbone, name.split(".")[0])
        expected = module.mask.bool() if name.endswith(".weight") else torch.ones_like(reached)
        assert torch.equal(reached, expected), name

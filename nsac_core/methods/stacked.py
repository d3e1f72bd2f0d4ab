"""Several modules of one architecture as one whose parameters have an axis of members."""

import copy
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.func import functional_call

from nsac_core.internals import Internals
from nsac_core.recording import layers

M = TypeVar("M", bound=nn.Module)


def stacked(modules: list[M]) -> M:
    """One module that holds the parameters and buffers of all, ``(members, *shape)`` each.

    It is the first module, changed; it is run by ``run_each`` or ``run_together``, not called. Its
    settings, hooks and mode are those of all members.
    """
    template = modules[0]
    stacks: dict[int, Tensor] = {}  # a tied parameter stays tied
    for path, owner in template.named_modules():
        others = [module.get_submodule(path) for module in modules]
        for tensors in ("_parameters", "_buffers"):
            members = [getattr(other, tensors) for other in others]
            for name, first in members[0].items():
                if first is None:
                    continue
                if id(first) not in stacks:
                    stacks[id(first)] = _stack([member[name] for member in members])
                getattr(owner, tensors)[name] = stacks[id(first)]
    return template


def reinitialised(module: M) -> M:
    """A copy with fresh weights, drawn by ``reset_parameters`` of the modules that hold any.

    Frozen weights are kept.

    Raises:
        ValueError: If a module holds parameters but cannot draw them anew.
    """
    fresh = copy.deepcopy(module)
    _reset(fresh)
    return fresh


def run_each(module: nn.Module, shared: Tensor, function: str = "forward") -> Tensor:
    """Runs the members of a stacked module one after the other, ``(members, ...)``.

    For modules whose kernels fill the machine on their own: three convolutions one by one are two
    to six times faster on a CPU than one grouped convolution.
    """
    call = _Function(module, function)
    state = _state(call)
    members = zip(*(stack.unbind() for stack in state.values()), strict=True)
    each = [functional_call(call, dict(zip(state, own, strict=True)), shared) for own in members]
    return torch.stack(each)


def run_together(module: nn.Module, inputs: Tensor, shared: bool) -> tuple[Tensor, Tensor]:
    """Runs all members of a stacked module that returns a pair of tensors as one batched module.

    Args:
        module: The stacked module.
        inputs: ``(...)`` for all members, or ``(members, ...)``, one for each.
        shared: Whether the inputs are the same for all.
    """
    records: list[Internals] = next(
        (layer.records for layer in layers(module) if layer.records is not None), []
    )
    before = len(records)

    def member(
        state: dict[str, Tensor], x: Tensor
    ) -> tuple[tuple[Tensor, Tensor], list[dict[str, Tensor]]]:
        pair: tuple[Tensor, Tensor] = functional_call(module, state, x)
        noted = [vars(record) for record in records[before:]]
        del records[before:]
        return pair, noted

    batched = torch.vmap(member, in_dims=(0, None if shared else 0), randomness="different")
    result: tuple[Tensor, Tensor]
    result, noted = batched(_state(module), inputs)
    # Each is the record of all members at once: only out here can they come apart.
    for record in noted:
        members = zip(*(part.unbind() for part in record.values()), strict=True)
        records += [Internals(*parts) for parts in members]
    return result


def _reset(module: nn.Module) -> None:
    own = [parameter for parameter in module.parameters() if parameter.requires_grad]
    if not own:
        return
    reset = getattr(module, "reset_parameters", None)
    if reset is not None:
        reset()
    elif any(True for _ in module.parameters(recurse=False)):
        raise ValueError(
            f"{type(module).__name__} needs a function reset_parameters(): every member of an "
            "ensemble starts from weights of its own"
        )
    else:
        for child in module.children():
            _reset(child)


def _stack(members: list[Tensor]) -> Tensor:
    values = [member.detach() for member in members]
    if values[0].ndim == 4 and values[0].is_contiguous(memory_format=torch.channels_last):
        # torch.stack would lose the layout, which halves the speed of a convolution on a CPU.
        stack = torch.stack([value.permute(0, 2, 3, 1) for value in values]).permute(0, 1, 4, 2, 3)
    else:
        stack = torch.stack(values)
    if isinstance(members[0], nn.Parameter):
        return nn.Parameter(stack, requires_grad=members[0].requires_grad)
    return stack


class _Function(nn.Module):
    """Makes a function of a module the ``forward`` of one, for ``functional_call``."""

    def __init__(self, module: nn.Module, function: str) -> None:
        super().__init__()
        self.module, self.function = module, function

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = getattr(self.module, self.function)(x)
        return result


def _state(module: nn.Module) -> dict[str, Tensor]:
    return {**dict(module.named_parameters()), **dict(module.named_buffers())}

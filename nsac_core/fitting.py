"""The one training loop: AdamW, best validation weights, progress, TensorBoard, resume."""

import math
import time
from collections.abc import Callable, Iterable, Sequence, Sized
from contextlib import ExitStack
from dataclasses import dataclass, field

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor
from torch.utils.tensorboard import SummaryWriter

from maps.files.one_line_error import in_one_line
from nsac_core import metrics
from nsac_core.fit_config import FitConfig, FittingError
from nsac_core.fitting_state import FittingState, load_state, save_state
from nsac_core.methods.protocol import Method, Prediction

Batch = tuple[Tensor, Tensor]
TrainBatches = Callable[[torch.Generator], Iterable[Batch]]
"""Makes the batches of one epoch; all its randomness comes from the generator it is given."""


@dataclass(frozen=True)
class Epoch:
    """What one epoch came to.

    Attributes:
        number: From 1.
        learning_rate: At its end.
        train: Mean training loss, and mean of each of the method's ``loss_terms``.
        validation: Each criterion on the validation data; empty without any.
        seconds: Wall-clock time, validation included.
        best: Whether its weights are the best so far.
    """

    number: int
    learning_rate: float
    train: dict[str, float]
    validation: dict[str, float]
    seconds: float
    best: bool


@dataclass(frozen=True)
class FitResult:
    """What training came to; the method holds the best weights.

    Attributes:
        history: One record per epoch, those before a resume included.
        best_epoch: Number of the epoch whose weights were kept.
        best_score: Its validation score (training loss without validation data).
    """

    history: list[Epoch] = field(default_factory=list)
    best_epoch: int = 0
    best_score: float = math.inf


EpochCallback = Callable[[Epoch], bool | None]
"""Called after each epoch; True stops the training."""


def fit(
    method: Method,
    train_batches: TrainBatches,
    validation: Iterable[Batch] | None,
    config: FitConfig,
    callbacks: Sequence[EpochCallback] = (),
) -> FitResult:
    """Trains a method and leaves its best weights in it, in evaluation mode.

    Args:
        method: What to train, in place.
        train_batches: Makes the batches ``(x, y)`` of an epoch from a seeded generator.
        validation: Batches that can be iterated anew each epoch (a list, a data loader), or None:
            then the lowest training loss decides.
        config: How to train.
        callbacks: Called after each epoch.

    Raises:
        FittingError: If the configuration cannot be, the loss is not finite, the validation score
            is not a number, an epoch has no batch, or the state file belongs to another run.
    """
    config.check()
    return _Fitting(method, train_batches, validation, config).run(callbacks)


class _Fitting:
    """One run of the loop."""

    def __init__(
        self,
        method: Method,
        train_batches: TrainBatches,
        validation: Iterable[Batch] | None,
        config: FitConfig,
    ) -> None:
        self.method = method.to(config.device)
        self.train_batches, self.validation, self.config = train_batches, validation, config
        groups = method.parameter_groups(config.learning_rate)
        self.optimiser = torch.optim.AdamW(groups, weight_decay=config.weight_decay)
        self.base_rates = [group["lr"] for group in self.optimiser.param_groups]
        self.history: list[Epoch] = []
        self.best_epoch, self.best_score = 0, math.inf
        self.best_weights = _copied(method)

    def run(self, callbacks: Sequence[EpochCallback]) -> FitResult:
        config = self.config
        self._resume()
        with ExitStack() as stack:
            writer = None
            if config.tensorboard is not None:
                writer = SummaryWriter(str(config.tensorboard), purge_step=len(self.history) + 1)
                stack.callback(writer.close)
            bar = stack.enter_context(_progress(not config.progress))
            task = bar.add_task("training", total=config.epochs, completed=len(self.history))
            while len(self.history) < config.epochs and not self._out_of_patience():
                epoch = self._epoch(len(self.history) + 1)
                if writer is not None:
                    _write(writer, epoch)
                bar.update(task, advance=1, description=_line(epoch))
                stops = [callback(epoch) for callback in callbacks]
                if any(stops):
                    break
        self.method.load_state_dict(self.best_weights)
        self.method.eval()
        return FitResult(self.history, self.best_epoch, self.best_score)

    def _epoch(self, number: int) -> Epoch:
        start = time.perf_counter()
        train = self._train(number)
        validation = self._validate()
        score = validation.get(self.config.criterion, train["loss"])
        if math.isnan(score):
            raise FittingError(f"the validation {self.config.criterion} is nan in epoch {number}")
        best = score < self.best_score
        if best:
            self.best_epoch, self.best_score = number, score
            self.best_weights = _copied(self.method)
        rate = self.optimiser.param_groups[0]["lr"]
        seconds = time.perf_counter() - start
        epoch = Epoch(number, rate, train, validation, seconds, best)
        self.history.append(epoch)
        self._save()
        return epoch

    def _train(self, number: int) -> dict[str, float]:
        config = self.config
        self.method.train()
        # Seeded by epoch, so that a resumed run continues exactly as an uninterrupted one.
        batches = self.train_batches(_generator(config.seed, number, "cpu"))
        noise = _generator(config.seed, number, config.device)
        length = len(batches) if isinstance(batches, Sized) else 0
        totals: dict[str, Tensor] = {}
        rows = 0
        for step, (x, y) in enumerate(batches):
            self._set_rate(number - 1 + (step / length if length else 0.0))
            terms = self._step(x.to(config.device), y.to(config.device), noise)
            for name, value in terms.items():
                totals[name] = totals.get(name, torch.zeros((), device=value.device)) + value * len(
                    y
                )
            rows += len(y)
        if rows == 0:
            raise FittingError(f"epoch {number} has no training batch")
        means = {name: float(total) / rows for name, total in totals.items()}
        if not math.isfinite(means["loss"]):
            raise FittingError(f"the training loss is {means['loss']} in epoch {number}")
        return means

    def _step(self, x: Tensor, y: Tensor, noise: torch.Generator) -> dict[str, Tensor]:
        device = self.config.device.split(":", maxsplit=1)[0]
        with torch.autocast(device, torch.bfloat16, enabled=self.config.mixed_precision):
            loss = self.method.loss(x, y, generator=noise)
        self.optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        self.method.clip_gradients(self.config.gradient_clip)
        self.optimiser.step()
        return {"loss": loss.detach(), **self.method.loss_terms}

    def _set_rate(self, epochs_done: float) -> None:
        config = self.config
        factor = 1.0
        if config.schedule == "cosine":
            fall = 0.5 * (1 + math.cos(math.pi * min(1.0, epochs_done / config.epochs)))
            factor = config.final_learning_rate + (1 - config.final_learning_rate) * fall
        if epochs_done < config.warmup_epochs:
            # Half a step of an epoch ahead, so that the first step is not lost to a rate of zero.
            factor *= max(epochs_done / config.warmup_epochs, 1e-2)
        for group, rate in zip(self.optimiser.param_groups, self.base_rates, strict=True):
            group["lr"] = rate * factor

    def _validate(self) -> dict[str, float]:
        if self.validation is None:
            return {}
        prediction, y = predicted(
            self.method, self.validation, self.config.device, self.config.seed
        )
        return {
            "nll": metrics.nll(prediction, y),
            "mse": metrics.mse(prediction, y),
            "mae": metrics.mae(prediction, y),
            "crps": metrics.crps(prediction, y),
        }

    def _out_of_patience(self) -> bool:
        patience = self.config.patience
        return patience is not None and len(self.history) - self.best_epoch >= patience

    def _resume(self) -> None:
        file = self.config.state_file
        if file is None or not file.exists():
            return
        state = load_state(file)
        try:
            self.history = [Epoch(**record) for record in state.history]
            for weights in (state.best_weights, state.weights):
                self.method.load_state_dict(weights)
            self.optimiser.load_state_dict(state.optimiser_onto(self.optimiser))
        except (RuntimeError, LookupError, TypeError, ValueError) as fault:
            line = in_one_line(fault)
            raise FittingError(f"{file}: belongs to another model: {line}") from None
        self.best_weights = state.best_weights
        self.best_epoch, self.best_score = state.best_epoch, state.best_score

    def _save(self) -> None:
        file = self.config.state_file
        if file is None:
            return
        history = [vars(epoch) for epoch in self.history]
        state = FittingState(
            _copied(self.method),
            self.best_weights,
            FittingState.moments_of(self.optimiser),
            self.best_epoch,
            self.best_score,
            history,
        )
        save_state(state, file)


@torch.no_grad()
def predicted(
    method: Method, batches: Iterable[Batch], device: str = "cpu", seed: int = 0
) -> tuple[Prediction, Tensor]:
    """A method's prediction for batches, in evaluation mode, and its targets ``(rows, out)``.

    Raises:
        FittingError: If there is no batch.
    """
    method.eval()
    generator = torch.Generator(device).manual_seed(seed)
    parts, targets = [], []
    for x, y in batches:
        parts.append(method.predict(x.to(device), generator=generator))
        targets.append(y.to(device))
    if not parts:
        raise FittingError("there is no batch to predict")
    return Prediction.joined(parts), torch.cat(targets).flatten(0, -2)


def _generator(seed: int, epoch: int, device: str) -> torch.Generator:
    return torch.Generator(device).manual_seed((seed * 1_000_003 + epoch) % 2**63)


def _copied(method: Method) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in method.state_dict().items()}


def _progress(disable: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        disable=disable,
    )


def _line(epoch: Epoch) -> str:
    validation = " ".join(f"{name} {value:.4g}" for name, value in epoch.validation.items())
    return f"loss {epoch.train['loss']:.4g} {validation}"


def _write(writer: SummaryWriter, epoch: Epoch) -> None:
    for part, values in (("train", epoch.train), ("validation", epoch.validation)):
        for name, value in values.items():
            writer.add_scalar(f"{part}/{name}", value, epoch.number)
    writer.add_scalar("train/learning_rate", epoch.learning_rate, epoch.number)

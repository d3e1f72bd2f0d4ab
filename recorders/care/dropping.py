"""Makes a data set without some of its episodes."""

import math
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

from maps.files.one_line_error import did_you_mean
from policies.data_sets import DataSet, root_folder
from recorders.care.config import DropEpisodesConfig
from recorders.care.derived import Derivation, build, claimed, make_new
from recorders.care.episode_numbers import parse
from recorders.care.errors import CareError
from recorders.care.stored import held, open_stored
from recorders.data_set import RecordedDataSet
from recorders.replacing import replace_data


@dataclass(frozen=True)
class Dropped:
    """What was dropped, or would be.

    Attributes:
        reasons: Why each episode goes, in words, by its number.
        kept: How many stay.
        steps: Steps of those.
    """

    reasons: dict[int, str]
    kept: int
    steps: int


def drop(config: DropEpisodesConfig) -> Dropped:
    """Makes a data set without the episodes that the configuration names.

    Raises:
        CareError: No episode would be dropped, or all, or the configuration is wrong, or there is
            a data set of the new name.
        policies.demonstrations.DemonstrationError: The data set is unknown, unfinished or damaged.
        recorders.config.RecordError: Minari refuses the new name.
        maps.files.locks.LockedError: One of the two is being written to.
    """
    _check(config)
    with ExitStack() as stack:
        new = None
        if config.dry_run:
            source = open_stored(config.data_set, config.data_root)
        else:
            if config.out is not None:
                new = stack.enter_context(claimed(config.out, root_folder(config.data_root)))
            source = stack.enter_context(held(config.data_set, config.data_root))
        reasons = dict(_reasons(config, source))
        kept = [i for i in range(len(source.entries)) if i not in reasons]
        if not reasons:
            raise CareError(f"no episode of {source.name} is among those to drop")
        if not kept:
            raise CareError(f"all {len(reasons)} episodes of {source.name} are to be dropped")
        if not config.dry_run:
            _make(config, source, kept, new)
    return Dropped(reasons, len(kept), sum(int(source.entries[i]["total_steps"]) for i in kept))


def _make(
    config: DropEpisodesConfig, source: DataSet, kept: list[int], new: RecordedDataSet | None
) -> None:
    """Makes the data set in the place that is claimed for it, or in that of its source."""
    derivation = Derivation(
        config.out or source.metadata.get("dataset_id", source.name),  # a link has another name
        [(source, i) for i in kept],
        "nsac-record drop-episodes",
        config.copy,
        config.quiet,
    )
    if new is not None:
        make_new(derivation, new)
        return
    place = RecordedDataSet(source.root, source.name)
    with place.temporary_folder() as aside:
        replace_data(place.folder, build(derivation, aside))
    shutil.rmtree(place.aside, ignore_errors=True)


def _check(config: DropEpisodesConfig) -> None:
    if not config.episodes and not config.outcome and config.worse_than is None:
        raise CareError("say which episodes to drop: --episodes, --outcome or --worse-than")
    if config.worse_than is not None and math.isnan(config.worse_than):
        raise CareError("worse_than must be a return, not nan")
    if config.out is not None and config.in_place:
        raise CareError("give --out or --in-place, not both")
    if config.out is None and not config.in_place and not config.dry_run:
        raise CareError("give --out NAME for a new data set, or --in-place to replace this one")


def _reasons(config: DropEpisodesConfig, source: DataSet) -> Iterator[tuple[int, str]]:
    """Why each episode goes that goes."""
    named = set(parse(config.episodes, len(source.entries)))
    outcomes = {str(entry.get("outcome")) for entry in source.entries}
    for outcome in config.outcome:
        if outcome not in outcomes:
            guess, there = did_you_mean(outcome, outcomes), ", ".join(sorted(outcomes))
            raise CareError(
                f"no episode of {source.name} has the outcome {outcome}, {guess}only {there}"
            )
    for number, entry in enumerate(source.entries):
        if number in named:
            yield number, "named"
        elif entry.get("outcome") in config.outcome:
            yield number, f"outcome {entry['outcome']}"
        elif config.worse_than is not None and entry.get("return", math.inf) < config.worse_than:
            yield number, f"return {entry['return']:.1f}"

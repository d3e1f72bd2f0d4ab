"""``nsac-evaluate``: its commands."""

import sys

from maps.command_line import Command, perform, run

LAPS = Command(
    "evaluation.config:EvaluateConfig",
    "evaluation.commands:laps",
    "Drive laps in closed loop; repeat the command to resume. "
    "`nsac-evaluate --world udacity --help` tells of driving the Udacity simulator.",
)
LIVE = Command(
    "evaluation.udacity.live_config:LiveConfig",
    "evaluation.commands:live",
    "Drive the Udacity simulator, or the stand-in for it, whichever connects.",
    resumes=False,
)
COMMANDS = {
    "study": Command(
        "evaluation.study.config:StudyConfig",
        "evaluation.commands:study",
        "Drive policies x maps x perturbations x seeds; repeat the command to resume.",
    ),
    "compare": Command(
        "evaluation.side_by_side.config:CompareConfig",
        "evaluation.commands:compare",
        "Put runs and studies side by side, by the laps that they have in common.",
        resumes=False,
    ),
    "drivers": Command(
        "evaluation.comparison.config:ComparisonConfig",
        "evaluation.commands:drivers",
        "Clone drivers by every method and compare them; repeat the command to resume.",
    ),
    "laps-needed": Command(
        "evaluation.sample_size_config:LapsNeededConfig",
        "evaluation.commands:laps_needed",
        "How many laps tell two shares apart.",
        resumes=False,
    ),
    "perturbations": Command(
        "evaluation.perturbation_sheet_config:SheetConfig",
        "evaluation.commands:perturbations",
        "Draw a sheet of what each perturbation does, at each severity.",
        resumes=False,
    ),
    "udacity": Command(
        "evaluation.udacity.config:StandInConfig",
        "evaluation.commands:udacity",
        "Drive the stand-in for the Udacity simulator; repeat the command to resume.",
    ),
    "udacity-open-loop": Command(
        "evaluation.udacity.open_loop_config:OpenLoopConfig",
        "evaluation.commands:udacity_open_loop",
        "Train every method on recordings of the Udacity simulator and test it on stretches held "
        "out; repeat the command to resume.",
    ),
    "udacity-saliency": Command(
        "evaluation.udacity.saliency_config:SaliencyConfig",
        "evaluation.commands:udacity_saliency",
        "Draw where policies of the Udacity simulator look, over recorded frames.",
        resumes=False,
    ),
}


def main(arguments: list[str] | None = None) -> None:
    """Drives laps, or does what the first word says; with ``--world`` it drives the simulator."""
    given = sys.argv[1:] if arguments is None else arguments
    words = [word.partition("=")[0] for word in given]
    if "--world" in words and words[0] not in COMMANDS:
        perform("nsac-evaluate", LIVE, given)
    else:
        run("nsac-evaluate", LAPS.description, COMMANDS, given, default=LAPS)

"""What makes each command of the guides short, and what is not run at all."""

SHORTER = {
    "nsac-bench ablations": "--seeds 1 --epochs 1 --studies heads --workers 1",
    "nsac-bench ablations --seeds 1 --studies length": "--epochs 1 --longest 100 --workers 1",
    "nsac-bench ablations --studies length": "--seeds 1 --epochs 1 --longest 100 --workers 1",
    "nsac-bench all": "--workers 1 --benchmarks boston kin8nm spiral ettm1 jena bearings "
    "synthetic-bearings ablations",
    "nsac-bench bearings": "--seeds 1 --epochs 1 --methods nsac constant --workers 1",
    "nsac-bench boston": "--seeds 1 --epochs 1 --methods nsac constant --workers 1",
    "nsac-bench ettm1": "--seeds 1 --epochs 1 --methods nsac constant --rows 1500 --workers 1",
    "nsac-bench jena": "--seeds 1 --epochs 1 --methods nsac constant --rows 1500 --workers 1",
    "nsac-bench kin8nm": "--seeds 1 --epochs 1 --methods nsac constant --workers 1",
    "nsac-bench page": "",
    "nsac-bench runtime": "--methods nsac --length 20 --samples 1 --positions last --repeats 1",
    "nsac-bench spiral": "--seeds 1 --epochs 1 --methods nsac constant --workers 1",
    "nsac-bench synthetic-bearings": "--seeds 1 --epochs 1 --methods nsac constant --rows 80 "
    "--length 8 --workers 1",
    "nsac-bench table1": "",
    "nsac-demo": "--maps short --dagger.rounds 1 --dagger.expert-episodes 2 --dagger.episodes 2 "
    "--dagger.epochs 1 --dagger.round-epochs 1 --dagger.workers 1 --dagger.threads 1",
    "nsac-evaluate": "--maps short --max-steps 30 --workers 1",
    "nsac-evaluate --world": "--seconds 60 --port {port}",
    "nsac-evaluate compare": "",
    "nsac-evaluate drivers": "--expert privileged --methods nsac --arms plain --seeds 1 "
    "--episodes 4 --validation-episodes 1 --test-episodes 1 --epochs 1 --tracks short "
    "--validation-tracks short --max-steps 30 --workers 1",
    "nsac-evaluate laps-needed": "",
    "nsac-evaluate perturbations": "--names blur latency --step 5 --path-steps 20",
    "nsac-evaluate study": "--workers 1",
    "nsac-evaluate udacity": "--laps 1 --tracks lake --latencies 0 100 --perturbations noise "
    "--workers 1",
    "nsac-evaluate udacity-open-loop": "--methods nsac constant --seeds 1 --epochs 1 --workers 1",
    "nsac-evaluate udacity-saliency": "",
    "nsac-inspect report": "--max-steps 30",
    "nsac-inspect saliency": "--max-steps 30 --scored-steps 2",
    "nsac-inspect traces": "--max-steps 30",
    "nsac-inspect wiring": "",
    "nsac-maps import": "",
    "nsac-maps list": "",
    "nsac-maps show": "",
    "nsac-record carracing": "--episodes 3 --max-steps 40",
    "nsac-record check": "",
    "nsac-record drop-episodes": "",
    "nsac-record drop-episodes carracing/privileged-v0 --episodes": "",
    "nsac-record export": "",
    "nsac-record info": "",
    "nsac-record merge": "",
    "nsac-record show": "",
    "nsac-record udacity": "--seconds 60 --port {port}",
    "nsac-train": "--epochs 1",
    "nsac-train --expert": "--steps 64 --rollout 64 --world.workers 2 --cloning.epochs 1 "
    "--cloning.critic-warmup 64 --validation-seeds 1000 1001",
    "nsac-train udacity": "--epochs 1",
    "nsac-udacity-sim": "--clock lockstep --seconds 2 --port {port}",
    "nsac-udacity-sim --mode": "--laps 0.03",
    "nsac-udacity-sim --mode training --driver keyboard": "",
    "nsac-udacity-sim --mode training --driver scripted": "--laps 0.11",
}
"""Options that are appended to a program's commands; the last of one name counts."""

OTHERWISE = {
    "--peer-python install": "",  # downloads torch-nac
    "--workers 64 --backend ray --address 10.0.0.1:6379": "",  # a cluster
    "--outcome lost stalled --worse-than 500": "--episodes 1",  # of three, all cut short
    "--episodes 3 7-9": "--episodes 1",
    "noise:1-5": "noise:2",
    "--step 552": "--step 25",  # of a lap that is shorter here
    "--step 240": "--step 20",
}
"""Words of a command that cannot be here, or are too many, and what stands in their place."""

NOT_RUN = {
    "make demo": "nsac-demo in an environment of its own",
    "make test": "these tests",
    "python3 -m venv .venv && .venv/bin/pip install .": "a download",
    "pip install 'nsac-drive[ray]'": "a download",
    "nsac-record carracing --driver human": "a person; tests/recorders/human",
    "ray start --head --port 6379": "a cluster",
    "ray start --address 10.0.0.1:6379": "a cluster",
    "python benchmarks/core_speed.py": "a download of torch-nac, and twelve minutes",
}
"""How lines begin that are not run, and why."""


def rule(line: str) -> str:
    """The key of ``SHORTER`` for a command: the longest of whose words it begins with.

    Raises:
        KeyError: If there is none.
    """
    words = line.removeprefix(".venv/bin/").split()
    for n in range(len(words), 0, -1):
        if " ".join(words[:n]) in SHORTER:
            return " ".join(words[:n])
    raise KeyError(line)


def shortened(line: str, port: int) -> str:
    """The command with everything that makes it short."""
    extra = SHORTER[rule(line)].format(port=port)
    line = line.removeprefix(".venv/bin/").partition("  #")[0]
    for words, others in OTHERWISE.items():
        line = line.replace(words, others)
    return f"{line} {extra}"

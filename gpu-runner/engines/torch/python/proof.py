"""
Proves the engine on this machine's GPU: its own tests on it, then the benchmark.

Writes a report of each file of tests, `bench.json` and `proof.json` to `--out`, and prints a line for each test that did not pass
and for each figure that is not what it must be. Ends with 1 where one fails. Needs an environment with the packages of
requirements.in (but for those of ONNX) and pytest.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
TESTS = (
    *("test_gpu", "test_process", "test_training", "test_packing", "test_preferences", "test_4_bits", "test_generation"),
    *("test_sampling", "test_adapter_bank", "test_score", "test_tools", "test_encoders"),
)
"""Those that compute on the device, the most telling first: where time runs out, the last are missing."""
SAMPLING_COSTS = 0.1
"""Share of greedy tokens a second that a temperature may cost at most."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="proof.py", description=__doc__)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: to try this command where there is no GPU")
    parser.add_argument("--out", type=Path, default=Path("gpu-proof"), help="folder for the results")
    parser.add_argument("--seconds", type=float, default=540, help="after which what has not run is left out, and said (540)")
    parser.add_argument(
        "--bench", nargs=argparse.REMAINDER, default=[], help="options of anneal_runner.bench; the last option here"
    )
    arguments = parser.parse_args()
    ends = time.monotonic() + arguments.seconds
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"ANNEAL_TEST_DEVICE": arguments.device, "PYTHONUNBUFFERED": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE), str(HERE / "tests"), os.environ.get("PYTHONPATH", "")])
    bench = out / "bench.json"
    command = [sys.executable, "-m", "anneal_runner.bench", "--device", arguments.device, "--json", str(bench), *arguments.bench]
    # First, since the figures are worth the most.
    has_figures = _ran(command, environment, arguments.seconds / 2)
    results = [("benchmark", "passed" if has_figures else "failed", "" if has_figures else "no figures; see above")]
    if has_figures:
        results += list(of_figures(json.loads(bench.read_text("utf-8"))))
    for name in TESTS:
        seconds = ends - time.monotonic()
        report = out / f"{name}.xml"
        report.unlink(missing_ok=True)
        pytest = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--junitxml={report}",
            str(HERE / "tests" / f"{name}.py"),
        ]
        finished = seconds > 1 and _ran(pytest, environment, seconds, {0, 1})
        results += list(of_report(report)) if finished else [(name, "skipped", "the time was over")]
    (out / "proof.json").write_text(
        json.dumps([dict(zip(("name", "verdict", "why"), each, strict=True)) for each in results], indent=2)
    )
    for name, verdict, why in results:
        if verdict != "passed":
            print(f"{verdict.upper()} {name}: {why}")
    count = {verdict: sum(each[1] == verdict for each in results) for verdict in ("passed", "failed", "skipped")}
    print(", ".join(f"{number} {verdict}" for verdict, number in count.items()))
    sys.exit(1 if count["failed"] else 0)


def _ran(command: list[str], environment: dict[str, str], seconds: float, good: set[int] | None = None) -> bool:
    try:
        return subprocess.run(command, env=environment, cwd=HERE, timeout=seconds).returncode in (good or {0})
    except subprocess.TimeoutExpired:
        return False


def of_figures(figures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    *greedy, sampled = figures["generation"]
    (beside,) = [row for row in greedy if row["adapters"] == sampled["adapters"]]
    share = sampled["tokens_per_second"] / beside["tokens_per_second"]
    holds = share >= 1 - SAMPLING_COSTS
    yield "temperature costs at most a tenth", "passed" if holds else "failed", f"{share:.2f} of greedy's tokens a second"


def of_report(report: Path) -> Iterator[tuple[str, str, str]]:
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')} {case.get('name')}"
        found = [each for kind in ("failure", "error", "skipped") for each in case.findall(kind)]
        verdict = "passed" if not found else "skipped" if found[0].tag == "skipped" else "failed"
        yield name, verdict, (found[0].get("message") or "").splitlines()[0] if found and found[0].get("message") else ""


if __name__ == "__main__":
    main()

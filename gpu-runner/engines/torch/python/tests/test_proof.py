"""What the proof on a GPU concludes from reports and figures."""

from pathlib import Path

import pytest

import proof


@pytest.mark.parametrize(("sampled", "verdict"), [(95.0, "passed"), (85.0, "failed")])
def test_a_temperature_may_cost_a_tenth_beside_as_many_adapters(sampled: float, verdict: str) -> None:
    rows = [{"adapters": count, "tokens_per_second": rate} for count, rate in ((1, 300.0), (8, 100.0), (8, sampled))]
    ((_, found, _),) = proof.of_figures({"generation": rows})
    assert found == verdict


def test_a_report_gives_each_tests_verdict_with_its_reason(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite><testcase classname="a" name="b"/>'
        '<testcase classname="a" name="c"><failure message="assert 1&#10;more"/></testcase>'
        '<testcase classname="a" name="d"><skipped message="no GPU"/></testcase></testsuite></testsuites>'
    )
    assert list(proof.of_report(report)) == [("a b", "passed", ""), ("a c", "failed", "assert 1"), ("a d", "skipped", "no GPU")]

"""Prometheus evaluates the rule of missing workers: it fires if workers are missing, only then."""

import shutil
import subprocess

import pytest
import yaml

from tests.repository import ROOT

RULES = ROOT / "deploy" / "alerts.yaml"
ALERT = "LineupWorkersMissing"
#: Server → how many workers of it take connections, minute by minute, as promtool writes it.
SERVERS = {
    "rolled": "4x200 5x1 4x400",
    "restarted": "4x239 _ _ 4x400",
    "lost": "4x240 3x400",
    "loops": "4x239" + " 3 3 3 4" * 100,
    "lowered": "4x240 2x400",
}


def fired(instance):
    [summary] = (
        rule["annotations"]["summary"]
        for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
        if rule["alert"] == ALERT
    )
    return {
        "exp_labels": {"severity": "ticket", "instance": instance},
        "exp_annotations": {"summary": summary.replace("{{ $labels.instance }}", instance)},
    }


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not here")
def test_a_worker_that_stays_away_is_told_and_one_that_is_replaced_is_not(tmp_path):
    expected = {"3h": [], "4h12m": ["lost", "loops", "lowered"], "7h30m": ["loops"]}
    given = {
        "rule_files": [str(RULES)],
        "evaluation_interval": "1m",
        "tests": [
            {
                "interval": "1m",
                "input_series": [
                    {"series": f'lineup_accepting{{instance="{name}"}}', "values": values}
                    for name, values in SERVERS.items()
                ],
                "alert_rule_test": [
                    {"eval_time": at, "alertname": ALERT, "exp_alerts": [*map(fired, names)]}
                    for at, names in expected.items()
                ],
            }
        ],
    }
    path = tmp_path / "rules.yml"
    path.write_text(yaml.safe_dump(given), encoding="utf-8")
    command = ("promtool", "test", "rules", str(path))
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

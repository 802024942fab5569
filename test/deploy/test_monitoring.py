# SPDX-License-Identifier: Apache-2.0
"""Alerts and dashboard of deploy/monitoring are valid, and use only metrics of the operator."""

import json
import pathlib
import re
import subprocess

import yaml
from harness.paths import REPOSITORY

MONITORING = REPOSITORY / "deploy" / "monitoring"
ALERTS = MONITORING / "alerts.yaml"
DASHBOARD = MONITORING / "dashboard.json"
MIXIN = MONITORING / "mixin.libsonnet"
ALERT_TESTS = REPOSITORY / "test" / "deploy" / "alerts_test.yaml"
REFERENCE = REPOSITORY / "docs" / "reference" / "reference.md"
SEVERITIES = {"critical", "warning", "info"}
# Labels that Prometheus adds to what it scrapes, or to a histogram.
TARGET_LABELS = {"namespace", "job", "instance", "pod"}
LABELS_OF_SUFFIX = {"_bucket": {"le"}, "_count": set(), "_sum": set()}

_METRIC = re.compile(r"\b([a-z_]+_[a-z_]+)\b(?:\{([^}]*)\})?")


def promtool(*arguments: str | pathlib.Path) -> str:
    """Runs promtool, and returns what it prints."""
    command = ["promtool", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def listed_metrics() -> dict[str, set[str]]:
    """Returns the metrics that the reference lists, which test_reference.py scrapes, with their
    labels.
    """
    rows = re.findall(
        r"^\| `(\w+)` \| (\w+) \| (.*?) \|", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE
    )
    found = {}
    for name, kind, labels in rows:
        suffixes = LABELS_OF_SUFFIX if kind == "histogram" else {"": set()}
        for suffix, more in suffixes.items():
            found[name + suffix] = set(re.findall(r"`(\w+)`", labels)) | more
    return found


def unknown_parts(expression: str) -> list[str]:
    """Returns the metrics of a query that the operator does not have, and the labels that its
    metrics do not have.
    """
    metrics = listed_metrics()
    functions = {"histogram_quantile", "group_left", "group_right", "label_values"}
    unknown = []
    for name, selector in _METRIC.findall(re.sub(r'"[^"]*"', '""', expression)):
        if name in functions or re.search(rf"\b(by|on) \([^)]*\b{name}\b", expression):
            continue
        if name not in metrics:
            unknown.append(name)
            continue
        labels = set(re.findall(r"(\w+)\s*[!=]", selector))
        unknown += [f"{name}.{label}" for label in labels - metrics[name] - TARGET_LABELS]
    return unknown


def alerts() -> list[dict]:
    """Returns the alerts of the rules file."""
    groups = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_the_rules_are_valid_and_each_alert_fires_when_it_should():
    promtool("check", "rules", ALERTS)
    promtool("test", "rules", ALERT_TESTS)


def test_each_alert_has_a_test_in_which_it_fires_and_one_in_which_it_is_silent():
    tests = yaml.safe_load(ALERT_TESTS.read_text(encoding="utf-8"))["tests"]
    for alert in (rule["alert"] for rule in alerts()):
        about = [test for test in tests if test["name"].startswith(f"{alert} ")]
        fires = [test for test in about if " fires " in test["name"]]
        assert fires, alert
        silent = [test for test in about if " is silent " in test["name"]]
        assert silent, alert
        for test in fires + silent:
            expected = [f'{{alertname="{alert}"}}'] if test in fires else []
            firing = test["promql_expr_test"][0]["exp_samples"]
            assert [sample["labels"] for sample in firing] == expected


def test_alerts_use_only_metrics_and_labels_of_the_operator():
    for rule in alerts():
        assert not unknown_parts(rule["expr"]), rule["alert"]
    assert unknown_parts("rate(chartwright_no[5m])") == ["chartwright_no"]
    assert unknown_parts('chartwright_crs{no="x"}') == ["chartwright_crs.no"]


def test_each_alert_leads_to_a_section_of_its_page():
    page = (REPOSITORY / "docs" / "operate" / "alerts.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (Chartwright\w+)$", page, re.MULTILINE)
    assert headings == [rule["alert"] for rule in alerts()]
    for rule in alerts():
        notes = rule["annotations"]
        assert rule["labels"]["severity"] in SEVERITIES
        assert notes["runbook_url"] == f"docs/operate/alerts.md#{rule['alert'].lower()}"
        assert notes["summary"].endswith(".") and notes["description"].endswith(".")


def test_the_prometheus_rule_has_the_same_alerts():
    rule = yaml.safe_load((MONITORING / "prometheusrule.yaml").read_text(encoding="utf-8"))
    assert (rule["apiVersion"], rule["kind"]) == ("monitoring.coreos.com/v1", "PrometheusRule")
    assert rule["spec"] == yaml.safe_load(ALERTS.read_text(encoding="utf-8"))


def dashboard() -> dict:
    """Returns the dashboard."""
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))


def queries(board: dict) -> list[str]:
    """Returns the queries of the panels and variables, as Grafana sends them for all values."""
    variables = {one["name"] for one in board["templating"]["list"]}
    found = []
    for panel in board["panels"]:
        for target in panel.get("targets", []):
            query = target["expr"].replace("$__rate_interval", "5m")
            for name in sorted(variables):
                query = query.replace(f"${name}", ".*")
            assert "$" not in query, query
            found.append(query)
    return found


def test_the_queries_of_the_dashboard_are_valid_and_use_only_metrics_of_the_operator(tmp_path):
    found = queries(dashboard())
    assert len(found) > 15
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(found)]
    file = tmp_path / "rules.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), "utf-8")
    promtool("check", "rules", file)
    for query in found:
        assert not unknown_parts(query), query
    for variable in dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.fullmatch(
                r"label_values\((\w+), (\w+)\)", variable["definition"]
            ).groups()
            assert label in listed_metrics()[metric] | TARGET_LABELS
            assert variable["query"]["query"] == variable["definition"]


def test_the_dashboard_has_the_form_that_grafana_loads():
    board = dashboard()
    assert board["schemaVersion"] >= 38 and board["uid"] == "chartwright" and not board["editable"]
    assert "id" not in board and board["timezone"] == "browser"
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert at["x"] + at["w"] <= 24 and not cells & taken, panel["title"]
        taken |= cells
        if panel["type"] != "row":
            assert panel["description"].endswith(".") and panel["title"]
            for part in (panel, *panel["targets"]):
                assert part["datasource"]["uid"] == "${datasource}"


def mixin(change: str, part: str) -> object:
    """Returns what Jsonnet makes of a part of the mixin, changed."""
    source = f'((import "{MIXIN}") + {{ _config+:: {{ {change} }} }}).{part}'
    command = ["jsonnet", "--exec", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_mixin_has_the_same_alerts_and_dashboard():
    assert mixin("", "prometheusAlerts") == yaml.safe_load(ALERTS.read_text(encoding="utf-8"))
    assert mixin("", "grafanaDashboards") == {"chartwright.json": dashboard()}


def test_the_mixin_changes_what_it_is_asked_to():
    change = (
        'runbookBase: "https://x/", disabled: ["ChartwrightDown"], '
        '"for": { ChartwrightNoLeader: "9m" }, '
        'labels: { ChartwrightNoLeader: { team: "a" } }, dashboardTags: ["b"]'
    )
    rules = mixin(change, "prometheusAlerts")["groups"][0]["rules"]
    assert rules[0]["alert"] == "ChartwrightNoLeader" and rules[0]["for"] == "9m"
    assert rules[0]["labels"] == {"severity": "critical", "team": "a"}
    runbook = rules[0]["annotations"]["runbook_url"]
    assert runbook == "https://x/docs/operate/alerts.md#chartwrightnoleader"
    assert mixin(change, "grafanaDashboards")["chartwright.json"]["tags"] == ["b"]

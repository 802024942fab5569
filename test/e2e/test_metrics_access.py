# SPDX-License-Identifier: Apache-2.0
"""Metrics over HTTPS, only for callers that the API server authorises."""

import base64
import http.client
import ssl

import pytest

from e2e import session
from e2e.session import DEPLOY, SYSTEM, WIDGET_FILES
from harness.kube import wait_until

ROLES = DEPLOY / "components" / "secure-metrics" / "role.yaml"
SCRAPER = "chartwright-e2e-scraper"


def token_of(cluster, account: str) -> str:
    """Returns a token of a service account in the operator's namespace."""
    path = cluster.kube.path("v1/ServiceAccount", account, SYSTEM) + "/token"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    return cluster.kube.request("POST", path, request)["status"]["token"]


def scrape(operator, token: str | None = None) -> tuple[int, str]:
    """Returns status and body of /metrics over HTTPS, without verifying the certificate."""
    client = http.client.HTTPSConnection(
        "127.0.0.1",
        operator.metrics_port,
        timeout=5,
        context=ssl._create_unverified_context(),
    )
    try:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client.request("GET", "/metrics", headers=headers)
        reply = client.getresponse()
        return reply.status, reply.read().decode("utf-8")
    finally:
        client.close()


@pytest.fixture
def roles(cluster):
    """The shipped roles of the component, bound to the accounts of the test."""
    for file in (ROLES, WIDGET_FILES / "metrics.yaml"):
        cluster.kubectl("apply", "-f", str(file))
    yield
    for file in (WIDGET_FILES / "metrics.yaml", ROLES):
        cluster.kubectl("delete", "--ignore-not-found", "-f", str(file))


def test_metrics_are_served_only_to_authorized_callers(cluster, roles):
    flags = ("--metrics-secure", "--metrics-require-rbac")
    with session.widget_operator(cluster, *flags) as operator:
        scraper = token_of(cluster, SCRAPER)
        # The API server's authorizer learns of a new binding with a delay.
        status, text = wait_until(
            lambda: (got := scrape(operator, scraper))[0] == 200 and got,
            what="a scrape that is let in",
            timeout_seconds=60,
        )
        assert "chartwright_build_info" in text
        assert scrape(operator)[0] == 401
        assert scrape(operator, "nonsense")[0] == 401
        status, text = scrape(operator, token_of(cluster, session.WIDGETS))
        assert status == 403 and "chartwright_build_info" not in text


@pytest.fixture
def scraper_token(cluster):
    """The token that the component secure-monitor makes for Prometheus."""
    file = DEPLOY / "components" / "secure-monitor" / "scraper.yaml"
    cluster.kubectl("apply", "-f", str(file))
    secret = cluster.kube.wait(
        "v1/Secret",
        "chartwright-scraper",
        SYSTEM,
        lambda found: found is not None and "token" in found.get("data", {}),
    )
    yield base64.b64decode(secret["data"]["token"]).decode("ascii")
    cluster.kubectl("delete", "--ignore-not-found", "-f", str(file))


def test_the_token_of_the_component_reads_metrics_and_nothing_else(cluster, roles, scraper_token):
    flags = ("--metrics-secure", "--metrics-require-rbac")
    with session.widget_operator(cluster, *flags) as operator:
        wait_until(
            lambda: scrape(operator, scraper_token)[0] == 200,
            what="a scrape with the token of the component",
            timeout_seconds=60,
        )
    account = f"--as={session.user_of('chartwright-scraper')}"
    listed = cluster.kubectl("auth", "can-i", "--list", account, "-n", SYSTEM)
    lines = {tuple(line.split()) for line in listed.splitlines()}
    assert ("[/metrics]", "[]", "[get]") in lines
    assert not [line for line in lines if line[0] in ("secrets", "pods", "*.*")]


def test_without_permission_to_review_tokens_nobody_is_let_in(cluster):
    flags = ("--metrics-secure", "--metrics-require-rbac")
    with session.widget_operator(cluster, *flags) as operator:
        status, text = scrape(operator, token_of(cluster, session.WIDGETS))
        assert status == 500 and "chartwright_build_info" not in text
        assert any("could not be checked" in line["msg"] for line in operator.logs())


def test_https_alone_needs_no_token(cluster):
    with session.widget_operator(cluster, "--metrics-secure") as operator:
        status, text = scrape(operator)
        assert status == 200 and "chartwright_build_info" in text

# SPDX-License-Identifier: Apache-2.0
"""Schemas that refer to documents at other addresses: loaded, vendored, and refused."""

import json
import os
import shutil
import ssl
import subprocess

import pytest

from cluster import build
from e2e import session
from e2e.custom_resource import WIDGET
from harness import documents
from harness.operator import default_binary

CHART = "apiVersion: v2\nname: remote\nversion: 0.1.0\n"
INTEGER = {"properties": {"count": {"type": "integer"}}}
WATCH = "- {{group: e2e.chartwright.io, version: v1, kind: Widget, chart: widget{rest}}}\n"
WITHOUT_PROXY = {
    name: text for name, text in os.environ.items() if not name.lower().endswith("_proxy")
}


@pytest.fixture(name="server")
def serve_documents():
    with documents.serve() as server:
        yield server


@pytest.fixture(name="chart")
def write_chart(tmp_path):
    """`chart(SCHEMA)` writes a chart with that schema, and returns its folder."""

    def write(schema: object):
        (tmp_path / "templates").mkdir(exist_ok=True)
        (tmp_path / "Chart.yaml").write_text(CHART)
        (tmp_path / "values.yaml").write_text("count: x\n")
        (tmp_path / "templates" / "t.yaml").write_text("count: {{ .Values.count }}\n")
        (tmp_path / "values.schema.json").write_text(json.dumps(schema))
        return tmp_path

    return write


def run(program, *arguments, **environment):
    """Returns exit code and output."""
    done = subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**WITHOUT_PROXY, **environment},
    )
    return (
        done.returncode,
        done.stdout,
        done.stderr.partition("\n\nUse --debug")[0].partition("Error: ")[2],
    )


def rendered(folder, **environment):
    return run(default_binary(), "template", "r", str(folder), **environment)


def helm_renders(folder, **environment):
    return run(build.ensure(["helm"])["helm"], "template", "r", str(folder), **environment)


@pytest.mark.parametrize(
    "answer",
    [
        documents.Answer(INTEGER),
        documents.Answer(INTEGER, headers={"Content-Type": "text/html"}),
        documents.Answer(b"count: 1\n"),
        documents.Answer(b"\xff"),
        documents.Answer(INTEGER, 404),
        documents.Answer(INTEGER, 503),
        documents.Answer(b"", 302, {"Location": "/other.json"}),
        documents.Answer(b"", 302, {"Location": "/schema.json"}),
        documents.Answer(b"", 302, {"Location": "ftp://127.0.0.1/x"}),
        documents.Answer({"$ref": "other.json"}),
    ],
    ids=[
        "JSON",
        "another type",
        "YAML",
        "no text",
        "missing",
        "overloaded",
        "a redirect",
        "a redirect to itself",
        "another scheme",
        "a relative reference",
    ],
)
def test_template_says_what_helm_says(server, chart, answer):
    server.answers["/schema.json"] = answer
    server.put("/other.json", INTEGER)
    folder = chart({"$ref": server.url("/schema.json")})
    assert rendered(folder) == helm_renders(folder)


def test_no_credentials_are_sent(server, chart, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    folder = chart({"$ref": server.put("/schema.json", INTEGER)})
    assert rendered(folder, HOME=str(tmp_path / "home"))[0] == 1
    ((_, headers),) = server.seen
    assert not {name.lower() for name in headers} & {
        "authorization",
        "cookie",
        "proxy-authorization",
    }
    assert (
        rendered(chart({"$ref": server.url("/schema.json").replace("//", "//me:secret@")}))[0] == 1
    )
    assert len(server.seen) == 1


def test_a_server_that_is_down_is_named(chart):
    with documents.serve() as gone:
        url = gone.url("/schema.json")
    folder = chart({"$ref": url})
    head = f'failing loading "{url}": HTTP request failed for {url}: Get "{url}": '
    for outcome in (rendered(folder), helm_renders(folder)):
        assert outcome[0] == 1 and head in outcome[2]


def test_a_document_that_is_too_large_is_refused(server, chart):
    folder = chart({"$ref": server.put("/schema.json", b" " * (5 << 20) + b" {}")})
    code, _, error = rendered(folder)
    assert code == 1 and "larger than 5242880 bytes" in error


@pytest.fixture(name="certificate")
def make_certificate(tmp_path):
    """A certificate for 127.0.0.1 that is its own authority, and its key."""
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=test",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


def test_an_unknown_authority_is_refused_and_a_given_one_is_trusted(chart, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with documents.serve(context) as server:
        url = server.put("/schema.json", INTEGER)
        folder = chart({"$ref": url})
        for program in (rendered, helm_renders):
            code, _, error = program(folder)
            assert code == 1 and f'HTTP request failed for {url}: Get "{url}": ' in error
        assert not server.seen
        trusted = {"SSL_CERT_FILE": str(certificate[0])}
        outcome = rendered(folder, **trusted)
        assert "at '/count': got string, want integer" in outcome[2]
        assert outcome == helm_renders(folder, **trusted)


def test_lint_loads_what_template_loads_and_asks_once(server, chart):
    folder = chart({"$ref": server.put("/schema.json", INTEGER)})
    _, output, _ = run(default_binary(), "lint", str(folder))
    assert "[ERROR] values.yaml: - at '/count': got string, want integer" in output
    assert server.paths() == ["/schema.json"]


def vendor(folder):
    return run(default_binary(), "vendor-schemas", str(folder))


def test_vendoring_writes_all_documents_once(server, chart):
    server.put("/lib/part.json", {"type": "integer"})
    url = server.put("/lib/main", {"properties": {"count": {"$ref": "part.json"}}})
    folder = chart({"$ref": url})
    before = helm_renders(folder)
    host = folder / "operator" / "schemas" / "http" / f"127.0.0.1%3A{server.server_port}" / "lib"
    code, output, _ = vendor(folder)
    assert (code, output) == (0, f"wrote {host / 'main%.json'}\nwrote {host / 'part.json'}\n")
    assert sorted(path.name for path in host.iterdir()) == ["main%.json", "part.json"]
    assert vendor(folder)[1] == output.replace("wrote", "unchanged")
    assert helm_renders(folder) == before


def test_vendoring_fails_as_a_whole(server, chart):
    folder = chart({"$ref": server.put("/schema.json", {"$ref": "none.json"})})
    code, output, error = vendor(folder)
    assert (code, output) == (1, "") and server.url("/none.json") in error
    assert not (folder / "operator").exists()


def test_vendoring_follows_no_link_out_of_the_chart(server, chart, tmp_path_factory):
    folder = chart({"$ref": server.put("/schema.json", INTEGER)})
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (folder / "operator").mkdir()
    (folder / "operator" / "schemas").symlink_to(elsewhere)
    code, _, error = vendor(folder)
    assert code == 1 and error
    assert not list(elsewhere.iterdir())


@pytest.fixture(name="remote_widgets")
def make_widgets(cluster, tmp_path, server):
    """`remote_widgets(WATCH)` returns an operator of Widgets whose schema is on the server."""
    url = server.put(
        "/widget.json", json.loads((session.WIDGET_CHART / "values.schema.json").read_text())
    )
    shutil.copytree(session.WIDGET_CHART, tmp_path / "widget")
    (tmp_path / "widget" / "values.schema.json").write_text(json.dumps({"$ref": url}))

    def make(rest: str = ""):
        (tmp_path / "watches.yaml").write_text(WATCH.format(rest=rest))
        return session.widget_operator(
            cluster,
            cwd=tmp_path,
            watches_file=tmp_path / "watches.yaml",
            environment={name: "" for name in os.environ if name.lower().endswith("_proxy")},
        )

    return make


def says(text: str):
    """Returns whether a condition of an object has that text, as a predicate."""
    return lambda obj: any(
        text in condition.get("message", "")
        for condition in obj.get("status", {}).get("conditions", [])
    )


def test_the_operator_says_what_to_do_without_the_document(server, remote_widgets, declare):
    with remote_widgets():
        widget = declare(WIDGET, "w").create()
        failed = widget.wait(says("chartwright vendor-schemas CHART"))
        assert says(server.url("/widget.json"))(failed)
    assert not server.seen


def test_the_operator_validates_with_vendored_documents(server, remote_widgets, declare, tmp_path):
    assert vendor(tmp_path / "widget")[0] == 0
    server.seen.clear()
    with remote_widgets():
        declare(WIDGET, "good").create().wait_ready()
        bad = declare(WIDGET, "bad").create({"count": 100})
        bad.wait(says("maximum: got 100, want 20"))
    assert not server.seen


def test_the_operator_asks_the_network_if_the_watch_says_so(server, remote_widgets, declare):
    with remote_widgets(", remoteSchemas: network"):
        declare(WIDGET, "one").create().wait_ready()
        declare(WIDGET, "two").create().wait_ready()
    assert server.paths() == ["/widget.json"]

# SPDX-License-Identifier: Apache-2.0
"""API servers with faulty TLS: the operator reports why, sends no credential, and waits."""

import base64
import contextlib
import dataclasses
import pathlib
import select
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
from collections.abc import Callable

from OpenSSL import SSL

from harness.kube import wait_until
from harness.operator import Operator, OperatorOptions
from harness.process import cpu_seconds
from hostile.measure import FOLDER_PREFIX, binary
from hostile.operators import CONFIG_MAP, TOKEN, WAIT_SECONDS
from hostile.vector import CHART, TEMPLATE

CONFIG = """\
clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d", certificate-authority-data: %s}}]
users: [{name: u, user: {token: %s}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: default}}]
current-context: x
"""
WATCH = "- {group: g.example, version: v1, kind: Good, chart: good}\n"
CPU_SECONDS = 3
AUTHORITY = """\
[ca]
default_ca = own
[own]
database = database
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
basicConstraints = critical, CA:TRUE
subjectAltName = %s
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    """A server with one fault. `serve` handles each connection; readable input is recorded."""

    name: str
    reported: str  # Expected part of the log.
    serve: Callable[[socket.socket, "Listener"], None]
    since: str = "2020"
    until: str = "2099"
    host: str = "IP:127.0.0.1"
    trusted: bool = True


def certificate(folder: pathlib.Path, name: str, fault: Fault) -> None:
    """Writes a self-signed certificate and its key; `openssl req` cannot write an expired one."""
    (folder / "ca.conf").write_text(AUTHORITY % fault.host)
    (folder / "database").write_text("")
    (folder / "serial").write_text("01\n")
    request = (
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-subj",
        "/CN=hostile",
        "-keyout",
        f"{name}.key",
        "-out",
        "request",
    )
    sign = (
        "ca",
        "-batch",
        "-notext",
        "-config",
        "ca.conf",
        "-selfsign",
        "-keyfile",
        f"{name}.key",
        "-in",
        "request",
        "-out",
        f"{name}.crt",
        "-startdate",
        f"{fault.since}0101000000Z",
        "-enddate",
        f"{fault.until}0101000000Z",
    )
    for command in (request, sign):
        subprocess.run(["openssl", *command], cwd=folder, check=True, capture_output=True)


class Listener:
    """Accepts connections until it is closed and serves each on a thread of its own."""

    def __init__(self, fault: Fault, folder: pathlib.Path):
        self.fault, self.folder = fault, folder
        self.clear: list[bytes] = []
        self.connections = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """Returns the port of the listener."""
        return self.socket.getsockname()[1]

    def context(self, **options) -> ssl.SSLContext:
        """Returns a TLS context with the certificate of the fault."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(self.folder / "own.crt", self.folder / "own.key")
        for key, value in options.items():
            setattr(made, key, value)
        return made

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            client.settimeout(WAIT_SECONDS)
            self.fault.serve(client, self)
        except OSError:
            pass
        finally:
            client.close()


def talk(
    client: socket.socket,
    listener: Listener,
    answer: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
) -> None:
    """Serves over TLS and records what it receives: with a faulty certificate, nothing."""
    with listener.context().wrap_socket(client, server_side=True) as inner:
        listener.clear.append(inner.recv(65536))
        inner.sendall(answer)


def cut(client: socket.socket) -> None:
    """Ends a connection with a reset."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def plain(client: socket.socket, listener: Listener) -> None:
    """Speaks HTTP where TLS is expected."""
    listener.clear.append(client.recv(65536))
    client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def says(data: bytes) -> Callable:
    """Returns a function that answers the start of a handshake with `data`."""

    def serve(client: socket.socket, listener: Listener) -> None:
        listener.clear.append(client.recv(65536))
        client.sendall(data)

    return serve


def half(client: socket.socket, listener: Listener) -> None:
    """Closes the connection in the middle of a handshake."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    inner = listener.context().wrap_bio(incoming, outgoing, server_side=True)
    incoming.write(client.recv(65536))
    try:
        inner.do_handshake()
    except ssl.SSLWantReadError:
        client.sendall(outgoing.read()[:100])
    cut(client)


def reset(client: socket.socket, _listener: Listener) -> None:
    """Closes the connection at once."""
    cut(client)


def old(client: socket.socket, listener: Listener) -> None:
    """Offers only obsolete versions of TLS."""
    context = listener.context(
        minimum_version=ssl.TLSVersion.TLSv1, maximum_version=ssl.TLSVersion.TLSv1_1
    )
    context.set_ciphers("ALL:@SECLEVEL=0")
    with context.wrap_socket(client, server_side=True) as inner:
        listener.clear.append(inner.recv(65536))


def renegotiate(client: socket.socket, listener: Listener) -> None:
    """Demands handshake after handshake in place of an answer."""
    context = SSL.Context(SSL.TLS_SERVER_METHOD)
    context.set_max_proto_version(SSL.TLS1_2_VERSION)
    context.use_certificate_file(str(listener.folder / "own.crt"))
    context.use_privatekey_file(str(listener.folder / "own.key"))
    inner = SSL.Connection(context, client)
    inner.set_accept_state()
    client.setblocking(True)
    try:
        inner.do_handshake()
        inner.recv(65536)
        client.setblocking(False)
        while inner.renegotiate():
            inner.do_handshake()
            while inner.renegotiate_pending():
                select.select([client], [], [], WAIT_SECONDS)
                with contextlib.suppress(SSL.WantReadError):
                    inner.recv(65536)
    except SSL.Error:
        cut(client)


REFUSED = "API server is not reachable"
ALERT = bytes.fromhex("150303000202") + b"\x50"
FAULTS = [
    Fault("an expired certificate", "expired", talk, until="2021"),
    Fault(
        "a certificate of another host",
        "no alternative certificate subject name|subject name|does not match",
        talk,
        host="DNS:evil.example",
    ),
    Fault(
        "a certificate of another address",
        "no alternative certificate subject name|subject name|does not match",
        talk,
        host="IP:127.0.0.2",
    ),
    Fault(
        "a certificate of an unknown authority",
        "self.signed|unable to get local issuer",
        talk,
        trusted=False,
    ),
    Fault("plain HTTP", REFUSED, plain),
    Fault("an alert", REFUSED, says(ALERT)),
    Fault("noise", REFUSED, says(b"\0" * 65536)),
    Fault("a record of 64 KiB", REFUSED, says(b"\x16\x03\x03\xff\xff" + b"\x02" * 65535)),
    Fault("the banner of another protocol", REFUSED, says(b"SSH-2.0-evil\r\n" * 1000)),
    Fault("a handshake that is cut", REFUSED, half),
    Fault("a connection that is reset", REFUSED, reset),
    Fault("versions that nobody uses any more", REFUSED, old),
    Fault("handshakes without end", REFUSED, renegotiate),
]


def meet_fault(fault: Fault) -> None:
    """Runs an operator against the server; raises AssertionError on any failure."""
    with tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX) as name:
        folder = pathlib.Path(name)
        certificate(folder, "own", fault)
        certificate(folder, "other", fault)
        listener = Listener(fault, folder)
        authority = base64.b64encode(
            (folder / ("own.crt" if fault.trusted else "other.crt")).read_bytes()
        ).decode()
        for path, text in {
            "kubeconfig": CONFIG % (listener.port, authority, TOKEN),
            "watches.yaml": WATCH,
            "good/Chart.yaml": CHART.replace("hostile", "good"),
            f"good/{TEMPLATE}": CONFIG_MAP,
        }.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(text)
        operator = Operator(
            OperatorOptions(
                folder / "kubeconfig",
                "watches.yaml",
                cwd=folder,
                binary=binary(),
                log_path=folder / "log",
            )
        )
        operator.launch()
        try:
            refused = operator.wait_log(
                lambda line: line["msg"].startswith(REFUSED), timeout_seconds=WAIT_SECONDS
            )
            # It keeps retrying.
            wait_until(
                lambda: listener.connections >= 2, timeout_seconds=WAIT_SECONDS, what="a second try"
            )
            assert operator.running()
            assert operator.http_status("/healthz") == 200
            assert operator.http_status("/readyz") == 503
            assert any(
                part.lower() in (refused["msg"] + refused["error"]).lower()
                for part in fault.reported.replace(".", "-").split("|")
            ), refused
            assert cpu_seconds(operator.pid) < CPU_SECONDS
            assert not any(TOKEN.encode() in said for said in listener.clear)
            assert TOKEN not in (folder / "log").read_text(encoding="utf-8")
        finally:
            operator.kill()
            operator.close()
            listener.socket.close()

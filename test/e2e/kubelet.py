# SPDX-License-Identifier: Apache-2.0
"""A kubelet that gives logs, played by a server: the node of the test cluster has none."""

import contextlib
import http.server
import pathlib
import ssl
import subprocess
import threading
import urllib.parse
from collections.abc import Iterator

import pytest

from cluster.bootstrap import NODE
from harness.cluster import Cluster


class Kubelet(http.server.BaseHTTPRequestHandler):
    """Gives as many lines as are asked for, which say what was asked."""

    def do_GET(self) -> None:
        """Answers /containerLogs/NAMESPACE/POD/CONTAINER."""
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        _, verb, _, pod, container = url.path.split("/")
        run = "previous" if query.get("previous") == "true" else "present"
        lines = [
            f"{verb} {pod} {container} {run} line {number} \x1b[31mred"
            for number in range(int(query["tailLines"]))
        ]
        data = "".join(line + "\n" for line in lines).encode()[: int(query["limitBytes"])]
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments) -> None:
        """Says nothing."""


@contextlib.contextmanager
def playing(cluster: Cluster, folder: pathlib.Path) -> Iterator[None]:
    """Gives logs for as long as the context lasts. `folder` gets a key and a certificate."""
    if cluster.external:
        pytest.skip("plays the kubelet of a cluster of our own")
    certificate, key = folder / "tls.crt", folder / "tls.key"
    subprocess.run(
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
        f"-subj /CN=kubelet -addext subjectAltName=IP:127.0.0.1 "
        f"-keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Kubelet)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    before = cluster.kube.get("v1/Node", NODE)["status"]
    status = {
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": server.server_port}},
    }
    cluster.kube.patch("v1/Node", NODE, None, {"status": status}, subresource="status")
    yield
    restored = {
        "addresses": before.get("addresses"),
        "daemonEndpoints": before.get("daemonEndpoints"),
    }
    cluster.kube.patch("v1/Node", NODE, None, {"status": restored}, subresource="status")
    server.shutdown()
    server.server_close()

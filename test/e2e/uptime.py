# SPDX-License-Identifier: Apache-2.0
"""A service outside the cluster, for the external of test/charts/onecall."""

import http.server
import itertools
import json
import threading
from collections.abc import Callable


class _Handler(http.server.BaseHTTPRequestHandler):
    """/monitors and /monitors/ID, in JSON."""

    def do_GET(self):
        self._answer(lambda known, key, _: known[key] if key else list(known.values()))

    def do_POST(self):
        self._answer(lambda known, _, sent: known.setdefault(sent["id"], sent))

    def do_PUT(self):
        self._answer(lambda known, key, sent: known[key] and known.update({key: sent}))

    def do_DELETE(self):
        self._answer(lambda known, key, _: known.pop(key))

    def _answer(self, act: Callable[[dict, str, dict], object]) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        key = self.path.removeprefix("/monitors").strip("/")
        sent = {**json.loads(self.rfile.read(length) or "{}")}
        sent["id"] = key or f"m-{next(self.server.numbers)}"
        try:
            code, reply = 200, act(self.server.monitors, key, sent)
        except KeyError:
            code, reply = 404, {"error": f"no monitor {key}"}
        text = json.dumps(reply).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_arguments):
        """Says nothing."""


class Uptime(http.server.ThreadingHTTPServer):
    """A service that watches URLs. Attribute: `monitors`, by id."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("localhost", 0), _Handler)
        self.monitors: dict[str, dict] = {}
        self.numbers = itertools.count(1)
        self.url = f"http://localhost:{self.server_port}"

    def __enter__(self) -> "Uptime":
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_exc) -> None:
        self.shutdown()
        self.server_close()

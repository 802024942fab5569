# SPDX-License-Identifier: Apache-2.0
"""Two ways to the same objects, the API server's own and a view, and a client to measure both."""

import json
import threading
import time
import urllib.parse
from collections.abc import Callable

from harness.connection import ApiError, Connection

PAGE = 500
# The source is listed with the selector of the view: the API server has the same to do.
LABEL, LABEL_VALUE = "bench", "note"
_LIST_TIMEOUT_SECONDS = 60.0
_EVENT_TIMEOUT_SECONDS = 30.0


class Side:
    """A collection, as one of the two sides serves it."""

    def __init__(self, name: str, connection: Connection, path: str):
        self.name = name
        self.path = path
        self._connection = connection

    def read(self, **query) -> bytes:
        """Returns the list as it was sent."""
        query = {"labelSelector": f"{LABEL}={LABEL_VALUE}", **query}
        return self._connection.fetch(self.path, query, _LIST_TIMEOUT_SECONDS)

    def pages(self) -> list[bytes]:
        """Returns all pages of a list."""
        pages, token = [], None
        while True:
            pages.append(self.read(limit=PAGE, **({"continue": token} if token else {})))
            # The metadata may be on either side of the items; a page is small.
            token = json.loads(pages[-1])["metadata"].get("continue")
            if not token:
                return pages

    def get(self, name: str) -> bytes:
        """Returns an object as it was sent."""
        return self._connection.fetch(f"{self.path}/{urllib.parse.quote(name)}")

    def misses(self, name: str) -> bool:
        """Asks for an object; reports whether it does not exist."""
        try:
            self.get(name)
            return False
        except ApiError as error:
            if error.code != 404:
                raise
            return True

    def events(self, version: str):
        """Yields the events after `version`."""
        query = {"watch": "true", "resourceVersion": version}
        return self._connection.stream(self.path, query, _EVENT_TIMEOUT_SECONDS)


class Follower:
    """Watches one side on a thread of its own, and remembers when each version arrived."""

    def __init__(self, side: Side, version: str):
        self._arrivals: dict[str, float] = {}
        self._changed = threading.Condition()
        self._failure: Exception | None = None
        # The watch is open when the first thread that needs it goes on: its version makes up for
        # it.
        self._thread = threading.Thread(target=self._run, args=(side, version), daemon=True)
        self._thread.start()

    def arrival(self, version: str) -> float:
        """Waits for the event of a version; returns when it came."""
        with self._changed:
            self._changed.wait_for(
                lambda: version in self._arrivals or self._failure, _EVENT_TIMEOUT_SECONDS
            )
            if version not in self._arrivals:
                raise TimeoutError(f"no event of version {version}") from self._failure
            return self._arrivals[version]

    def _run(self, side: Side, version: str) -> None:
        try:
            for event in side.events(version):
                now = time.monotonic()
                if event["type"] == "ERROR":
                    raise ApiError(event["object"].get("code", 0), event["object"], side.name)
                with self._changed:
                    self._arrivals[event["object"]["metadata"]["resourceVersion"]] = now
                    self._changed.notify_all()
        except (OSError, ApiError) as error:
            with self._changed:
                self._failure = error
                self._changed.notify_all()


def timed(call: Callable, *arguments) -> float:
    """Returns the milliseconds that a call takes."""
    began = time.monotonic()
    call(*arguments)
    return (time.monotonic() - began) * 1000


def in_turn(sides: tuple[Side, Side], rounds: int, call: Callable) -> tuple[list, list]:
    """Calls `call(side, round)` for both sides in turn; returns the milliseconds of each.

    The side that begins changes, so that what one leaves behind weighs on both.
    """
    taken: tuple[list, list] = ([], [])
    for number in range(rounds):
        for which in (0, 1) if number % 2 == 0 else (1, 0):
            taken[which].append(timed(call, sides[which], number))
    return taken

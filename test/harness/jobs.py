# SPDX-License-Identifier: Apache-2.0
"""Plays the job controller for Jobs that ask for it, so that they end at once, and as told."""

import datetime
import http.client
import threading
import time

from harness.connection import ApiError
from harness.kube import Kube

JOB = "batch/v1/Job"
# In the spec of a Job: the cluster's job controller leaves it alone.
MANAGED_BY = "managedBy: chartwright.io/test"
_FAILS = "chartwright.io/test-job-fails-without"
# In the metadata of a Job, as an annotation: it fails.
FAILS = f'{_FAILS}: "nothing"'
_IDLE_SECONDS = 600.0
_AGAIN_SECONDS = 0.2


def fails_without(config_map: str) -> str:
    """Returns the annotation of a Job that fails unless its namespace has that ConfigMap."""
    return f'{_FAILS}: "{config_map}"'


class JobPlayer:
    """Ends the Jobs of a namespace whose spec has MANAGED_BY as soon as they are created.

    A context manager; Jobs of before count, too. Its end raises what has kept it from a Job.
    """

    def __init__(self, kube: Kube, namespace: str):
        self._kube = kube
        self._namespace = namespace
        self._ended = False
        self._failure: Exception | None = None

    def __enter__(self) -> "JobPlayer":
        threading.Thread(target=self._play, daemon=True).start()
        return self

    def __exit__(self, *_exc) -> None:
        # The thread itself ends with the test run, or at the next Job.
        self._ended = True
        if self._failure:
            raise AssertionError("a Job was not played") from self._failure

    def _play(self) -> None:
        while not self._ended:
            try:
                self._follow()
            except (OSError, http.client.HTTPException):
                time.sleep(_AGAIN_SECONDS)  # The stream broke; the next list has what it missed.
            except ApiError as error:
                if error.code != 410:  # Or else the version has expired.
                    self._failure = error
                    return

    def _follow(self) -> None:
        listed = self._kube.request("GET", self._kube.path(JOB, None, self._namespace))
        for job in listed["items"]:
            self._end(job)
        version = listed["metadata"]["resourceVersion"]
        events = self._kube.watch(
            JOB, self._namespace, resource_version=version, timeout_seconds=_IDLE_SECONDS
        )
        for event, job in events:
            if self._ended:
                return
            if event == "ADDED":
                self._end(job)

    def _end(self, job: dict) -> None:
        if "managedBy" not in job["spec"] or job.get("status", {}).get("conditions"):
            return
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        lacks = job["metadata"].get("annotations", {}).get(_FAILS)
        fails = lacks and self._kube.find("v1/ConfigMap", lacks, self._namespace) is None
        # The API server insists on both, in this order.
        types = ("FailureTarget", "Failed") if fails else ("SuccessCriteriaMet", "Complete")
        conditions = [
            {
                "type": type_,
                "status": "True",
                "lastTransitionTime": now,
                "reason": "BackoffLimitExceeded" if fails else "CompletionsReached",
                "message": "played by the test",
            }
            for type_ in types
        ]
        status = {"startTime": now, "conditions": conditions}
        status |= {"failed": 1} if fails else {"succeeded": 1, "completionTime": now}
        try:
            self._kube.patch(
                JOB,
                job["metadata"]["name"],
                self._namespace,
                {"metadata": {"uid": job["metadata"]["uid"]}, "status": status},
                subresource="status",
            )
        except ApiError as error:
            if error.code not in (404, 409):  # It is gone already.
                raise

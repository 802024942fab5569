# SPDX-License-Identifier: Apache-2.0
"""The command line of each component of the control plane."""

import dataclasses
import json
import pathlib

from cluster import pki
from cluster.state import State

ETCD = "etcd"
APISERVER = "kube-apiserver"
CONTROLLER_MANAGER = "kube-controller-manager"
SCHEDULER = "kube-scheduler"
KWOK = "kwok"

STAGES = pathlib.Path(__file__).resolve().parent / "stages"
# The controllers that a benchmark of an operator needs, without pods.
_CONTROLLERS_WITHOUT_PODS = (
    "garbage-collector-controller,namespace-controller,serviceaccount-controller,"
    "root-ca-certificate-publisher-controller"
)
_LOOPBACK = "127.0.0.1"

# Groups of custom resources whose statuses are logged as they are sent.
_REPORTING_GROUPS = (
    "app.example.com",
    "blog.velotio.com",
    "demo.demo.civo.io",
    "e2e.chartwright.io",
    "petstore.example.com",
)
# Logs every request twice: before it is served, so that every request whose answer a client has
# seen is in the log, and when it is complete, with the code.
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "rules": [
        {
            "level": "Request",
            "verbs": ["patch"],
            "resources": [
                {"group": group, "resources": ["*/status"]} for group in _REPORTING_GROUPS
            ],
        },
        {"level": "Metadata"},
    ],
}


@dataclasses.dataclass(frozen=True)
class Options:
    """The options of `up`."""

    pods: bool = True
    audit_policy: str | None = None
    apiserver_args: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Returns the components to run, in start order."""
        core = (ETCD, APISERVER, CONTROLLER_MANAGER)
        return (*core, SCHEDULER, KWOK) if self.pods else core


@dataclasses.dataclass(frozen=True)
class Ports:
    """The ports of one start."""

    etcd_client: int
    etcd_peer: int
    apiserver: int

    def server(self) -> str:
        """Returns the URL of the API server."""
        return f"https://{_LOOPBACK}:{self.apiserver}"

    def etcd(self) -> str:
        """Returns the URL of etcd."""
        return f"http://{_LOOPBACK}:{self.etcd_client}"


def write_inputs(state: State, options: Options) -> None:
    """Writes the files that the command lines below refer to."""
    if options.audit_policy is None:
        policy = json.dumps(AUDIT_POLICY)
    else:
        policy = pathlib.Path(options.audit_policy).read_text(encoding="utf-8")
    _audit_policy(state).write_text(policy, encoding="utf-8")
    texts = [path.read_text(encoding="utf-8") for path in sorted(STAGES.glob("*.yaml"))]
    _stages(state).write_text("\n---\n".join(texts), encoding="utf-8")


def arguments(name: str, state: State, options: Options, ports: Ports) -> list[str]:
    """Returns the arguments of a component."""
    if name == ETCD:
        return _etcd(state, ports)
    if name == APISERVER:
        return [*_apiserver(state, ports), *options.apiserver_args]
    kubeconfig = f"--kubeconfig={state.folder / (name + '.kubeconfig')}"
    if name == CONTROLLER_MANAGER:
        return [kubeconfig, *_controller_manager(state, options)]
    if name == SCHEDULER:
        return [kubeconfig, "--leader-elect=false", "--secure-port=0"]
    return [
        kubeconfig,
        "--manage-all-nodes=true",
        f"--server-address={_LOOPBACK}:0",
        "--cidr=10.244.0.1/16",
        f"--config={_stages(state)}",
    ]


def _etcd(state: State, ports: Ports) -> list[str]:
    peer = f"http://{_LOOPBACK}:{ports.etcd_peer}"
    return [
        f"--data-dir={state.etcd}",
        f"--listen-client-urls={ports.etcd()}",
        f"--advertise-client-urls={ports.etcd()}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def _apiserver(state: State, ports: Ports) -> list[str]:
    return [
        f"--etcd-servers={ports.etcd()}",
        f"--secure-port={ports.apiserver}",
        f"--bind-address={_LOOPBACK}",
        f"--advertise-address={_LOOPBACK}",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.96.0.0/16",
        f"--client-ca-file={state.pki / 'ca.crt'}",
        f"--tls-cert-file={state.pki / 'apiserver.crt'}",
        f"--tls-private-key-file={state.pki / 'apiserver.key'}",
        f"--requestheader-client-ca-file={state.pki / 'front-proxy-ca.crt'}",
        f"--requestheader-allowed-names={pki.FRONT_PROXY}",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={state.pki / (pki.FRONT_PROXY + '.crt')}",
        f"--proxy-client-key-file={state.pki / (pki.FRONT_PROXY + '.key')}",
        f"--service-account-key-file={state.pki / 'service-account.pub'}",
        f"--service-account-signing-key-file={state.pki / 'service-account.key'}",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--authorization-mode=RBAC",
        "--allow-privileged=true",
        f"--audit-log-path={state.audit_log}",
        f"--audit-policy-file={_audit_policy(state)}",
        # Readers of the log keep offsets into it, so it must not be rotated.
        "--audit-log-maxsize=0",
    ]


def _controller_manager(state: State, options: Options) -> list[str]:
    arguments_ = [
        f"--service-account-private-key-file={state.pki / 'service-account.key'}",
        f"--root-ca-file={state.pki / 'ca.crt'}",
        "--use-service-account-credentials=true",
        "--leader-elect=false",
        "--secure-port=0",
        # The default, 20 requests per second, is for machines with other work.
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        # Where kwok gets no processor for a while, its node has not failed, nor have its pods.
        "--node-monitor-grace-period=10m",
    ]
    if not options.pods:
        arguments_.append(f"--controllers={_CONTROLLERS_WITHOUT_PODS}")
    return arguments_


def _audit_policy(state: State) -> pathlib.Path:
    return state.folder / "audit-policy.yaml"


def _stages(state: State) -> pathlib.Path:
    return state.folder / "stages.yaml"

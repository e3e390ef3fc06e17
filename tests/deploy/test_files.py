"""What operators are given under deploy/: settings and commands that exist; times, ports and limits of the code."""

import ipaddress
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from formation_portal.core.nodes.secret_store import parse_keys
from formation_portal.environment import Environment
from formation_portal.management.web_processes import FIRST_BYTES, WORKER_BYTES, memory_needed
from formation_portal.management.web_server import SHUTDOWN_SECONDS

DEPLOY = Path(__file__).parents[2] / "deploy"
SETTINGS = {name.upper() for name in Environment.model_fields}
DEFAULTS = Environment.model_construct()
# What else stands in an environment: Python's, glibc's and Amazon's own.
OTHERS = {"PATH", "PYTHONUNBUFFERED", "MALLOC_ARENA_MAX", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
UNITS = sorted(DEPLOY.glob("systemd/*.service"))
MANIFESTS = sorted(path for path in DEPLOY.glob("kubernetes/*.yaml") if path.name != "kustomization.yaml")


def seconds_to_end(command: str, drain: float) -> float:
    """How long a process may take to end in order, as README.md has it."""
    web, relay = drain + SHUTDOWN_SECONDS + 5, DEFAULTS.upload_timeout
    return {"web": web, "relay": relay, "mail": 10, "webhooks": 15, "serve": web + 15}[command]


def bytes_of(size: str) -> int:
    """Read a size as Docker ("384m") and Kubernetes ("384Mi") write it, both in powers of two."""
    [(number, unit)] = re.findall(r"^(\d+)([mg])i?$", size.lower())
    return int(number) << {"m": 20, "g": 30}[unit]


def memory_of(command: str, web_processes: int) -> int:
    if command == "web":
        return memory_needed(web_processes, workers=0)
    return {"setup_portal": FIRST_BYTES, "relay": WORKER_BYTES, "mail": WORKER_BYTES, "webhooks": WORKER_BYTES}[command]


def settings_in(path: Path) -> dict[str, str]:
    """Of an example of an environment, what is set and what stands there as a comment."""
    return dict(re.findall(r"^#?([A-Z0-9_]+)=(.*)$", path.read_text(), re.MULTILINE))


# The image.


def test_the_image_sets_what_exists_and_runs_a_command_that_exists() -> None:
    text = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ")
    final = text.rpartition("\nFROM ")[2]
    [given] = re.findall(r"^ENV (.*)$", final, re.MULTILINE)
    names = dict(word.split("=", 1) for word in shlex.split(given))
    assert names.keys() - OTHERS <= SETTINGS
    assert names["DEMO"] == "false"
    assert names["PORT"] == "8000"
    assert re.search(r'^ENTRYPOINT \["python3", "manage.py"\]$', final, re.MULTILINE), "no shell stands before signals"
    [command] = re.findall(r'^CMD \["(\w+)"\]$', final, re.MULTILINE)
    assert command in get_commands()
    assert "/livez" in final
    assert re.search(r"^USER [1-9][0-9]*:[1-9]", final, re.MULTILINE)


# compose.


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    made: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return made


def of_the_portal(compose: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, service in compose["services"].items():
        if service["image"].startswith("formation-portal"):
            yield name, service


def test_compose_gives_the_portal_settings_that_exist(compose: dict[str, Any]) -> None:
    for name, service in of_the_portal(compose):
        assert service["environment"].keys() <= SETTINGS | OTHERS, name
    assert settings_in(DEPLOY / "portal.env.example").keys() <= SETTINGS
    asked = set(re.findall(r"\$\{([A-Z0-9_]+)", (DEPLOY / "compose.yaml").read_text()))
    assert asked - {"VERSION"} == settings_in(DEPLOY / "compose.env.example").keys()


@pytest.mark.parametrize("name", ["portal.env.example", "kubernetes/secret.example.yaml"])
def test_the_examples_have_the_key_of_all_nodes_with_a_command_that_makes_it(name: str) -> None:
    before = re.split(r"^ *SECRETS_KEY[=:]", (DEPLOY / name).read_text(), flags=re.MULTILINE)[0]
    [command] = re.findall(r"openssl rand -base64 \d+", before.splitlines()[-1])
    made = subprocess.run(command.split(), capture_output=True, text=True, check=True).stdout
    assert parse_keys(made) != []


def test_compose_limits_have_room_and_time_for_each_kind_of_process(compose: dict[str, Any]) -> None:
    example = settings_in(DEPLOY / "portal.env.example")
    assert "WEB_PROCESSES" not in example, "one a core: as many as there are cpus"
    services = {name: service for name, service in of_the_portal(compose) if name != "bucket"}
    commands = {service["command"] for service in services.values()}
    assert commands == {"setup_portal", "web", "relay", "mail", "webhooks"} <= get_commands().keys()
    for name, service in services.items():
        [folder, size] = service["tmpfs"][0].split(":size=")
        needed = memory_of(service["command"], service.get("cpus", 1)) + bytes_of(size)
        assert folder == "/tmp"
        assert needed <= bytes_of(service["mem_limit"]) < 3 * needed, name
        if "stop_grace_period" in service:
            seconds = seconds_to_end(service["command"], float(example["DRAIN_SECONDS"]))
            assert int(service["stop_grace_period"].rstrip("s")) > seconds, name


def test_compose_lets_nobody_in_but_through_nginx(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert [name for name, one in services.items() if "ports" in one] == ["nginx"]
    assert compose["networks"]["stores"]["internal"]
    asked = set(re.findall(r"server (\S+):8000", (DEPLOY / "nginx.conf").read_text()))
    assert asked == {name for name, one in of_the_portal(compose) if one["command"] == "web"}
    for _, service in of_the_portal(compose):
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
    networks = compose["networks"]["portal"]["ipam"]["config"]
    assert [one["subnet"] for one in networks] == [services["web-1"]["environment"]["TRUSTED_PROXIES"]]


# systemd.


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_units_run_commands_that_exist_and_wait_for_their_end(unit: Path) -> None:
    text = unit.read_text()
    [command] = re.findall(r"^ExecStart=/opt/formation-portal/\.venv/bin/python manage\.py (\w+)$", text, re.MULTILINE)
    [patience] = re.findall(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)
    drain = float(settings_in(DEPLOY / "portal.env.example")["DRAIN_SECONDS"])
    assert command in get_commands()
    assert unit.stem == f"formation-portal-{command}"
    assert int(patience) > seconds_to_end(command, drain)


def test_units_share_one_folder_and_the_first_process_ends_its_children() -> None:
    common = (DEPLOY / "systemd/formation-portal-.service.d/common.conf").read_text()
    assert "Environment=DATA_DIR=/var/lib/formation-portal " in common
    assert "\nStateDirectory=formation-portal\n" in common
    assert "\nKillMode=mixed\n" in common
    assert {unit.stem.rpartition("-")[2] for unit in UNITS} == {"serve", "web", "relay", "mail", "webhooks"}
    # The sandbox confines itself. Groups and calls of several lines add up.
    allowed = re.findall(r"^SystemCallFilter=([^~\n]+)$", common, re.MULTILINE)
    calls = {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp"}
    assert calls <= set(" ".join(allowed).split())


# Kubernetes.


@pytest.fixture(scope="module")
def manifests() -> list[dict[str, Any]]:
    return [one for path in MANIFESTS for one in yaml.safe_load_all(path.read_text())]


def named(manifests: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in manifests if one["kind"] == kind}


def test_manifests_run_commands_that_exist_with_settings_that_exist_in_confined_pods(
    manifests: list[dict[str, Any]],
) -> None:
    [settings] = named(manifests, "ConfigMap").values()
    [secrets] = named(manifests, "Secret").values()
    assert settings["data"].keys() | secrets["stringData"].keys() <= SETTINGS
    assert not settings["data"].keys() & secrets["stringData"].keys()
    drain = float(settings["data"]["DRAIN_SECONDS"])
    deployments = named(manifests, "Deployment")
    assert deployments.keys() == {"web", "relay", "mail", "webhooks"}
    for name, deployment in deployments.items():
        pod = deployment["spec"]["template"]["spec"]
        assert pod["containers"][0]["args"] == [name]
        assert pod["terminationGracePeriodSeconds"] > seconds_to_end(name, drain)
        assert pod["securityContext"]["runAsNonRoot"]
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            assert container["args"][0] in get_commands()
            assert container["securityContext"]["readOnlyRootFilesystem"]
            assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/data", "/tmp"}
            assert [next(iter(source)) for source in container["envFrom"]] == ["configMapRef", "secretRef"]


def test_manifests_lead_to_the_web_pods(manifests: list[dict[str, Any]]) -> None:
    pod = named(manifests, "Deployment")["web"]["spec"]["template"]
    [port] = pod["spec"]["containers"][0]["ports"]
    [of_service] = named(manifests, "Service")["web"]["spec"]["ports"]
    backend = named(manifests, "Ingress")["portal"]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert (port["containerPort"], of_service["targetPort"]) == (8000, port["name"])
    assert (backend["name"], backend["port"]["name"]) == ("web", of_service["name"])
    labels = pod["metadata"]["labels"]
    assert named(manifests, "Service")["web"]["spec"]["selector"] == labels
    assert named(manifests, "PodDisruptionBudget")["web"]["spec"]["selector"]["matchLabels"] == labels
    probes = pod["spec"]["containers"][0]
    assert probes["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert probes["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_manifests_limits_have_room_for_the_processes_that_start(manifests: list[dict[str, Any]]) -> None:
    processes = int(named(manifests, "ConfigMap")["portal-settings"]["data"]["WEB_PROCESSES"])
    for deployment in named(manifests, "Deployment").values():
        pod = deployment["spec"]["template"]["spec"]
        assert not any(volume["emptyDir"].get("medium") for volume in pod["volumes"]), "none is in memory"
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            [command] = container["args"]
            needed = memory_of(command, processes)
            limit = bytes_of(container["resources"]["limits"]["memory"])
            assert needed <= limit < 3 * needed, command
            assert bytes_of(container["resources"]["requests"]["memory"]) < limit, command


# The network policy of Kubernetes: who may ask whom, as its comments and README.md say.

INGRESS_CONTROLLER = ({"kubernetes.io/metadata.name": "ingress-nginx"}, {"app.kubernetes.io/name": "ingress-nginx"})
PROMETHEUS = ({"kubernetes.io/metadata.name": "monitoring"}, {"app.kubernetes.io/name": "prometheus"})
CLUSTER_DNS = ({"kubernetes.io/metadata.name": "kube-system"}, {})
DNS = {("UDP", 53), ("TCP", 53)}
# PostgreSQL, Valkey, and HTTPS: the bucket, the formation service, subscribers of events.
SERVERS = {("TCP", 5432), ("TCP", 6379), ("TCP", 443)}
PLACES = ("10.1.2.3", "192.168.7.7", "203.0.113.9", "2001:db8::9", "fd12:3456::9")
# AWS, Azure and Google; AWS's for pods; AWS by IPv6; any of a link.
OF_THE_CLOUD = ("169.254.169.254", "169.254.170.23", "fd00:ec2::254", "fe80::a9fe:a9fe")


def policies_of(manifests: list[dict[str, Any]], app: str, direction: str) -> list[dict[str, Any]]:
    """Return the specs of the policies that select pods of an app and rule over a direction."""
    specs = []
    for policy in named(manifests, "NetworkPolicy").values():
        spec = policy["spec"]
        selector = spec["podSelector"]
        wanted = [selector.get("matchLabels", {}).get("app", app)]
        for expression in selector.get("matchExpressions", ()):
            assert (expression["key"], expression["operator"]) == ("app", "In")
            wanted = expression["values"]
        if app in wanted and direction in spec["policyTypes"]:
            specs.append(spec)
    assert specs, "a pod that no policy selects may do everything"
    return specs


def ports_of(rule: dict[str, Any]) -> set[tuple[str, Any]]:
    """Return a rule's ports. A rule without ports would allow all of them."""
    return {(port["protocol"], port["port"]) for port in rule["ports"]}


def ports_to(manifests: list[dict[str, Any]], app: str, address: str) -> set[tuple[str, Any]]:
    """Return the ports that pods of an app may ask at an address outside the cluster's pods."""
    place = ipaddress.ip_address(address)
    ports: set[tuple[str, Any]] = set()
    for spec in policies_of(manifests, app, "Egress"):
        for rule in spec.get("egress", ()):
            for block in (peer["ipBlock"] for peer in rule["to"] if "ipBlock" in peer):
                excepted = [ipaddress.ip_network(network) for network in block.get("except", ())]
                if place in ipaddress.ip_network(block["cidr"]) and not any(place in one for one in excepted):
                    ports |= ports_of(rule)
    return ports


def pods_with_ports(rules: list[dict[str, Any]], side: str) -> list[tuple[Any, Any, set[tuple[str, Any]]]]:
    """Return the labels of namespace and pod of each peer that is a pod, with the ports of its rule."""
    return [
        (peer["namespaceSelector"]["matchLabels"], peer.get("podSelector", {}).get("matchLabels", {}), ports_of(rule))
        for rule in rules
        for peer in rule[side]
        if "ipBlock" not in peer
    ]


def test_the_ingress_controller_and_prometheus_alone_ask_the_web_pods_and_nobody_any_other(
    manifests: list[dict[str, Any]],
) -> None:
    rules = [rule for spec in policies_of(manifests, "web", "Ingress") for rule in spec.get("ingress", ())]
    assert all("ipBlock" not in peer for rule in rules for peer in rule["from"])
    assert pods_with_ports(rules, "from") == [
        (*INGRESS_CONTROLLER, {("TCP", "http")}),
        (*PROMETHEUS, {("TCP", "http")}),
    ]
    for app in ("relay", "mail", "webhooks", "another"):
        assert [rule for spec in policies_of(manifests, app, "Ingress") for rule in spec.get("ingress", ())] == []
    assert [rule for spec in policies_of(manifests, "another", "Egress") for rule in spec.get("egress", ())] == []


@pytest.mark.parametrize("app", ["web", "relay", "mail", "webhooks"])
def test_pods_ask_servers_at_their_ports_and_nobody_for_the_rights_of_their_machine(
    manifests: list[dict[str, Any]], app: str
) -> None:
    expected = SERVERS | ({("TCP", 587)} if app == "mail" else set())
    assert {address: ports_to(manifests, app, address) for address in PLACES} == dict.fromkeys(PLACES, expected)
    rules = [rule for spec in policies_of(manifests, app, "Egress") for rule in spec.get("egress", ())]
    assert pods_with_ports(rules, "to") == [(*CLUSTER_DNS, DNS)]
    assert ports_to(manifests, app, "169.254.20.10") == DNS, "NodeLocal DNSCache"
    assert [ports_to(manifests, app, address) for address in OF_THE_CLOUD] == [set()] * len(OF_THE_CLOUD)

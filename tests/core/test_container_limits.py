"""The limits of control groups are read as the kernel writes them, version 2 and 1, in a container and in a unit."""

import subprocess
import sys
from pathlib import Path

import pytest

from formation_portal.core.container_limits import ContainerLimits, read_container_limits
from tests.management.served import PROJECT
from tests.memory_groups import held_to_memory, memory_controller
from tests.needed import needed

MIB = 1 << 20


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "cgroup").mkdir()
    return tmp_path / "cgroup"


def write(folder: Path, **files: str) -> None:
    """Write files of a control group; an underscore stands for the first dot of a name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".", 1)).write_text(f"{content}\n")


def limits(root: Path, membership: str) -> ContainerLimits:
    (root.parent / "membership").write_text(membership)
    return read_container_limits(root, root.parent / "membership")


def test_a_container_of_version_2_has_its_own_files_at_the_root(root: Path) -> None:
    write(root, memory_max="1610612736", cpu_max="150000 100000")
    assert limits(root, "0::/\n") == ContainerLimits(1536 * MIB, 1.5)
    write(root.parent / "above", memory_max="1")
    assert limits(root, "0::/../above\n") == ContainerLimits(1536 * MIB, 1.5), "it stays below the root"
    write(root, memory_max="max", cpu_max="max 100000")
    assert limits(root, "0::/\n") == ContainerLimits(None, None)


def test_the_tightest_limit_of_a_unit_and_of_the_slices_around_it_counts(root: Path) -> None:
    write(root / "system.slice", memory_max="943718400", cpu_max="max 100000")
    write(root / "system.slice/formation-portal-web.service", memory_max="2147483648", cpu_max="50000 200000")
    assert limits(root, "0::/system.slice/formation-portal-web.service\n") == ContainerLimits(900 * MIB, 0.25)


def test_version_1_is_read_where_the_container_sees_its_group_as_the_root(root: Path) -> None:
    write(root / "memory", memory_limit_in_bytes="805306368")
    write(root / "cpu", cpu_cfs_quota_us="300000", cpu_cfs_period_us="100000")
    membership = "11:memory:/docker/4f2a\n3:cpu,cpuacct:/docker/4f2a\n1:name=systemd:/docker/4f2a\n0::/\n"
    assert limits(root, membership) == ContainerLimits(768 * MIB, 3.0)
    # It writes no limit as a number.
    write(root / "memory", memory_limit_in_bytes="9223372036854771712")
    write(root / "cpu", cpu_cfs_quota_us="-1")
    assert limits(root, "4:memory:/\n1:cpu:/\n") == ContainerLimits(None, None)


def test_a_system_without_control_groups_has_no_limits(tmp_path: Path) -> None:
    assert read_container_limits(tmp_path / "none", tmp_path / "none") == ContainerLimits(None, None)


@needed("a control group of memory, which only root may make,", memory_controller() is not None)
def test_a_process_reads_the_limit_that_the_kernel_holds_it_to() -> None:
    code = (
        "import sys; sys.stdin.readline();"
        "from formation_portal.core.container_limits import read_container_limits;"
        "print(read_container_limits().memory_bytes)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with held_to_memory(300 * MIB, process.pid):
        output, _ = process.communicate("go on\n")
    assert output == f"{300 * MIB}\n"

"""A cluster of Slurm on this machine: a controller, two nodes, and who signs their messages."""

import getpass
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

NODES = ("one", "two")
CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
KillWait=2
MinJobAge=300
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
{nodes}
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
PartitionName=main Nodes=ALL Default=YES State=UP
PartitionName=urgent Nodes=ALL State=UP PriorityTier=10
EnforcePartLimits=ALL
PartitionName=short Nodes=ALL State=UP MaxTime=1
PartitionName=closed Nodes=ALL State=DRAIN
"""
"""Each node is a daemon on a port of its own; no cgroups, no systemd, no accounting."""


@dataclass
class Cluster:
    """What runs on this machine as if it were several.

    Args:
        folder: of the configuration, logs and states.
        daemons: by their names.
    """

    folder: Path
    daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, name: str, *command: str) -> None:
        with (self.folder / f"{name}.out").open("ab") as log:
            self.daemons[name] = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True
            )

    def start_node(self, node: str) -> None:
        self.start(node, "slurmd", "-D", "-N", node)

    def kill_node(self, node: str) -> None:
        """Kills a node's daemon and all that its jobs started, as if its power were cut."""
        daemon = self.daemons.pop(node)
        daemon.kill()
        daemon.wait()
        for process in processes_of_node(node):
            kill(process)

    def ask(self, *command: str) -> str:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def submit(self, folder: Path, code: str) -> str:
        """Submits a file in a folder, and returns the job's number."""
        (folder / "job.sbatch").write_text(code)
        command = ["sbatch", "--parsable", "job.sbatch"]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def jobs(self) -> dict[str, str]:
        """States of all jobs by their numbers."""
        printed = self.ask("squeue", "--noheader", "--states=all", "--format=%i %T")
        return dict(line.split() for line in printed.splitlines())

    def running_on(self, node: str) -> list[str]:
        return self.ask(
            "squeue", "--noheader", "--states=running", f"--nodelist={node}", "--format=%i"
        ).split()

    def wait_until_idle(self) -> None:
        wait_for(lambda: self.idle() == len(NODES), "the cluster")

    def idle(self) -> int:
        """Number of nodes that are up and do nothing."""
        command = ["sinfo", "--partition=main", "--noheader", "--Node", "--format=%T"]
        return subprocess.run(command, capture_output=True, text=True).stdout.split().count("idle")

    def preempt(self) -> None:
        """Gives all nodes to a more urgent job, of a second."""
        self.ask(
            "sbatch", "--partition=urgent", "--nodes=2", "--output=/dev/null", "--wrap=sleep 1"
        )

    def end(self, job: str) -> None:
        """Lets a running job be out of time now: limits of Slurm's are whole minutes."""
        self.ask("scontrol", "update", f"jobid={job}", "EndTime=now")


def kill(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def processes_of_node(node: str) -> list[int]:
    """Processes of a node's jobs, which their environment names; first those that would tell of their end."""
    steps, found = set(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            if f"SLURMD_NODENAME={node}".encode() not in environment:
                continue
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if Path("/proc", parent, "comm").read_text().strip() == "slurmstepd":
                steps.add(int(parent))
        except OSError:
            continue
        found.append(int(folder.name))
    return [*steps, *found]


def wait_for(condition: Callable[[], object], what: str, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} was waited for in vain"
        time.sleep(0.2)


def free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


@contextmanager
def slurm_cluster(folder: Path) -> Iterator[Cluster]:
    """Starts a cluster, of which `SLURM_CONF` tells Slurm's commands; in the end nothing of it is left."""
    munge = folder / "munge"
    munge.mkdir(mode=0o700)
    (munge / "key").write_bytes(secrets.token_bytes(128))
    (munge / "key").chmod(0o600)
    (folder / "state").mkdir()
    controller_port, *ports = free_ports(1 + len(NODES))
    host = socket.gethostname()
    nodes = [
        f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=4000"
        for node, port in zip(NODES, ports, strict=True)
    ]
    conf = folder / "slurm.conf"
    conf.write_text(
        CONF.format(
            host=host,
            user=getpass.getuser(),
            folder=folder,
            controller_port=controller_port,
            nodes="\n".join(nodes),
        )
    )
    cluster = Cluster(folder)
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(conf)
    try:
        files = (
            ("key-file", "key"),
            ("socket", "socket"),
            ("pid-file", "pid"),
            ("seed-file", "seed"),
        )
        cluster.start(
            "munged",
            "munged",
            "--foreground",
            "--force",
            *(f"--{option}={munge / name}" for option, name in files),
        )
        wait_for((munge / "socket").exists, "munged")
        cluster.start("slurmctld", "slurmctld", "-D")
        for node in NODES:
            cluster.start_node(node)
        cluster.wait_until_idle()
        yield cluster
    finally:
        for daemon in reversed(cluster.daemons.values()):
            daemon.terminate()
            daemon.wait()
        for node in NODES:
            for process in processes_of_node(node):
                kill(process)
        if before is None:
            del os.environ["SLURM_CONF"]
        else:
            os.environ["SLURM_CONF"] = before

"""A Slurm of one node in a folder of its own: munged, slurmctld and slurmd, ended with the block."""
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel")

CONFIG = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={control}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
KillWait=1
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1,sched_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
"""


def missing():
    """Why there can be no Slurm here, or nothing."""
    if os.getuid() != 0:
        return "starting a Slurm needs root"
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if not shutil.which(name)]
    return f"no {', '.join(absent)}: apt-get install munge slurmctld slurmd slurm-client" if absent else ""


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class CannotStart(Exception):
    """Slurm's own daemons do not come up here, e.g. slurmd in a container without cgroups."""


class OneNode:
    def __init__(self, folder):
        self.folder, self.daemons = Path(folder), []

    def __enter__(self):
        try:
            self.start()
        except TimeoutError as error:
            self.__exit__()
            raise CannotStart(error) from error
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        folder = self.folder
        control, node = free_ports(2)
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "munge.key").write_bytes(os.urandom(128))
        (folder / "munge.key").chmod(0o400)
        (folder / "slurm.conf").write_text(CONFIG.format(host=socket.gethostname().split(".")[0], control=control, node=node,
                                                         folder=folder, processors=os.cpu_count()))
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self.daemon("munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={folder}/munge.key",
                    f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munge.seed", f"--log-file={folder}/munged.log")
        self.until(lambda: (folder / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "-D", "-f", str(folder / "slurm.conf"))
        self.daemon("slurmd", "-D", "-f", str(folder / "slurm.conf"))
        self.until(lambda: self.ask("sinfo", "-h", "-o", "%T") == "idle", "the node")

    def daemon(self, *command):
        log = open(self.folder / f"{command[0]}.out", "wb")
        self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))
        log.close()

    def until(self, condition, what, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{what} is not ready after {seconds} s\n{self.logs()}")
            time.sleep(0.1)

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True).stdout.strip()

    def wait_for_jobs(self, seconds=60):
        self.until(lambda: self.ask("squeue", "-h") == "", "the queue", seconds)

    def logs(self):
        return "\n".join(f"{path.name}: {path.read_text()[-1500:]}" for path in sorted(self.folder.glob("*.out")))

    def __exit__(self, *_):
        if len(self.daemons) == 3 and self.ask("squeue", "-h"):
            self.ask("scancel", "--user=root")
            try:
                self.wait_for_jobs(15)
            except TimeoutError:
                pass
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

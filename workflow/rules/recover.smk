# A run that was killed leaves Snakemake's lock behind. It is taken away when no other Snakemake lives in this folder:
# each one holds a shared lock of the operating system for as long as it lives, killed or not.
import fcntl
import shutil

RECOVERY = Path(".snakemake") / "alive.lock"

try:
    RECOVERY.parent.mkdir(exist_ok=True)
    ALIVE = RECOVERY.open("w")
    try:
        fcntl.flock(ALIVE, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(Path(".snakemake") / "locks", ignore_errors=True)
    except BlockingIOError:
        pass  # another run is alive here: Snakemake's own lock speaks for it
    fcntl.flock(ALIVE, fcntl.LOCK_SH)
except OSError:
    pass  # a file system without locks, or a folder that cannot be written: Snakemake says what to do

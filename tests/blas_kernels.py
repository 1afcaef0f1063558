"""Runs a command with OpenBLAS's kernels for another processor than this one: make test-kernel.

    python tests/blas_kernels.py KERNEL COMMAND...

KERNEL is a value of OPENBLAS_CORETYPE; empty, the day of the year chooses one of those that this processor can run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import date

import scipy.linalg
from threadpoolctl import threadpool_info

#: Of which OpenBLAS has its own kernels in the packages of NumPy and SciPy, on x86-64 and on Arm.
KERNELS = ("Nehalem", "Sandybridge", "Haswell", "SkylakeX", "ARMV8", "NEOVERSEN1", "NEOVERSEV1")


def architectures() -> set[str]:
    """Whose kernels this process uses; NumPy and SciPy have an OpenBLAS each."""
    return {library["architecture"] for library in threadpool_info() if library["internal_api"] == "openblas"}


def architectures_with(kernel: str) -> set[str]:
    """Whose kernels a process uses that asks for some; none where the processor cannot run them."""
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=False)
    return set(done.stdout.split()) if done.returncode == 0 else set()


def same(found: set[str], kernel: str) -> bool:
    return {name.lower() for name in found} == {kernel.lower()}


def chosen(own: set[str], today: date, others: Sequence[str] = KERNELS) -> str | None:
    """The kernel of the day among those that run here and are not the processor's own."""
    possible = [kernel for kernel in others if not same(own, kernel) and same(architectures_with(kernel), kernel)]
    return possible[today.timetuple().tm_yday % len(possible)] if possible else None


def main(kernel: str, command: Sequence[str]) -> None:
    os.environ.pop("OPENBLAS_CORETYPE", None)
    own = architectures_with("")
    wanted = kernel or chosen(own, date.today())
    if wanted is None:
        print(f"== not run: of OpenBLAS's kernels this processor can run its own alone ({', '.join(own) or 'none'})")
        return
    found = architectures_with(wanted)
    if not same(found, wanted):
        sys.exit(f"OPENBLAS_CORETYPE={wanted} gives the kernels {', '.join(sorted(found)) or 'none'}: name another")
    print(f"== with OpenBLAS's kernels for {wanted}; this processor's own are {', '.join(sorted(own))}", flush=True)
    os.execvpe(command[0], list(command), {**os.environ, "OPENBLAS_CORETYPE": wanted})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1], sys.argv[2:])
    else:  # the process of `architectures_with`: kernels that the processor lacks end it
        hilbert = scipy.linalg.hilbert(200)
        scipy.linalg.eigh(hilbert @ hilbert)
        print(*architectures())

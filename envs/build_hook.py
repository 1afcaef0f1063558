"""Before the package is built or installed its stubs are written, and taken along though git ignores them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Stubs(BuildHookInterface[Any]):
    """The stubs of envs/write_stubs.py."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write them."""
        subprocess.run([sys.executable, str(Path(self.root, "envs", "write_stubs.py"))], check=True)
        build_data["artifacts"].append("*.pyi")

"""Programs in other languages in the place of methods; see `mlreduce.programs.estimators`."""

from mlreduce.programs.estimators import (
    ProgramClassifier,
    ProgramCoder,
    ProgramProjection,
    ProgramSelector,
    ProgramTransformer,
)
from mlreduce.programs.run import Program, ProgramError, digest_of_files, run_program, with_digest

__all__ = [
    "Program",
    "ProgramClassifier",
    "ProgramCoder",
    "ProgramError",
    "ProgramProjection",
    "ProgramSelector",
    "ProgramTransformer",
    "digest_of_files",
    "run_program",
    "with_digest",
]

"""Tables of a study: a file for each kind, declared by `mlreduce_studies.tables.kinds.table`."""

from __future__ import annotations

from mlreduce_studies.tables.kinds import make_table, table, table_kinds, table_parts

__all__ = ["make_table", "table", "table_kinds", "table_parts"]

"""Configuration files: read, checked against their schema, and refused with a sentence a user can act on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from mlreduce.exceptions import ConfigurationError, unknown_name

__all__ = ["read_yaml", "validate"]

_SCHEMAS = Path(__file__).with_name("schemas")


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file.

    Raises
    ------
    ConfigurationError
        If it does not exist or is not YAML; the sentence names file and line.
    """
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigurationError(f"{path}: no such file") from None
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        reason = getattr(error, "problem", None) or error
        raise ConfigurationError(f"{path}{line}: not YAML: {reason}") from error


@cache
def _validator(schema: str) -> jsonschema.Draft202012Validator:
    content = yaml.safe_load((_SCHEMAS / f"{schema}.schema.yaml").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(content)
    return jsonschema.Draft202012Validator(content)


def validate(content: Any, schema: str, where: str) -> None:
    """Check a configuration against one of the schemas of ``workflow/schemas``.

    Parameters
    ----------
    content : object
        What was read.
    schema : {"config", "study", "datasets", "claims"}
        Which kind of file it is.
    where : str
        The file, for the message.

    Raises
    ------
    ConfigurationError
        At the first deviation: the file, the key, what is wrong and what is allowed.
    """
    errors = sorted(_validator(schema).iter_errors(content), key=lambda e: (list(map(str, e.absolute_path)), e.message))
    if errors:
        raise ConfigurationError(_sentence(_most_telling(errors[0]), where))


def _most_telling(error: jsonschema.ValidationError) -> jsonschema.ValidationError:
    """Of the alternatives of an anyOf, take the one that the content came nearest to."""
    while error.context:
        error = max(error.context, key=lambda e: len(e.absolute_path))
    return error


def _sentence(error: Any, where: str) -> str:
    key = ".".join(map(str, error.absolute_path))
    place = f"{where}: {key}" if key else where
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = list(error.schema.get("properties", {}))
        unknown = next(k for k in error.instance if k not in known)
        return unknown_name("key", unknown, known, place)
    if error.validator == "enum":
        return unknown_name("value", error.instance, map(str, error.validator_value), place)
    if error.validator == "required":
        missing = next(k for k in error.validator_value if k not in error.instance)
        return f"{place}: the key {missing!r} is missing"
    if error.validator == "type":
        wanted = error.validator_value
        wanted = " or ".join(wanted) if isinstance(wanted, list) else wanted
        return f"{place}: expected {wanted}, got {error.instance!r}"
    return f"{place}: {error.message}"

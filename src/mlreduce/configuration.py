"""Configuration files: read and checked against their schema."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from mlreduce.exceptions import ConfigurationError, from_extra, unknown_name
from mlreduce.guards import open_regular

with from_extra("data", "configuration files"):
    import jsonschema
    import yaml
    from yaml.composer import Composer
    from yaml.constructor import SafeConstructor
    from yaml.resolver import Resolver

_SCHEMAS = Path(__file__).with_name("schemas")

# The project's largest file has 20,000 bytes and 1,800 values, nested 7 deep.
_MOST_BYTES = 1_000_000
_MOST_VALUES = 20_000
_DEEPEST = 40
# Number of schema errors among which the first is reported.
_MOST_ERRORS = 100
# Characters of a wrong value shown in a message.
_SHOWN = 80

# Unprintable characters, except line breaks and tabs.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class _Values(Composer):
    """Texts, numbers, Booleans, lists and mappings with unique text keys.

    Aliases repeat values, so that a short file can expand beyond any memory; expanded values are counted.
    """

    peek_event: Any  # of the parser

    def __init__(self) -> None:
        Composer.__init__(self)
        self._depth = 0
        self._composed = 0
        # Number of values of each node, with aliases expanded.
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise _wrong(f"the tag {tag[:_SHOWN]!r} is not allowed", event)
        self._depth += 1
        self._composed += 1
        if self._depth > _DEEPEST:
            raise _wrong(f"values are nested more than {_DEEPEST} deep", event)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if isinstance(event, yaml.AliasEvent):
            if id(node) not in self._sizes:
                raise _wrong(f"the alias {str(event.anchor)[:_SHOWN]!r} refers to itself", event)
            return node
        if isinstance(node, yaml.MappingNode):
            _check_keys(node)
        elif isinstance(node, yaml.ScalarNode) and _CONTROL.search(node.value):
            raise _wrong(f"{node.value[:_SHOWN]!a} contains an unprintable character", event)
        self._sizes[id(node)] = 1 + sum(self._sizes[id(child)] for child in _children(node))
        if max(self._composed, self._sizes[id(node)]) > _MOST_VALUES:
            raise _wrong(f"more than {_MOST_VALUES} values, with aliases expanded", event)
        return node


class _Loader(_Values, yaml.SafeLoader):
    """Loader in Python: its error messages have more detail than those of the loader in C."""

    def __init__(self, text: str) -> None:
        yaml.SafeLoader.__init__(self, text)
        _Values.__init__(self)


_LOADERS: list[Any] = [_Loader]
if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _QuickLoader(_Values, CParser, SafeConstructor, Resolver):
        """With the parser of LibYAML, in a quarter of the time."""

        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)
            _Values.__init__(self)
            SafeConstructor.__init__(self)
            Resolver.__init__(self)

    _LOADERS.insert(0, _QuickLoader)


class _Refused(yaml.MarkedYAMLError):
    """Valid YAML that configurations do not allow."""


def _wrong(sentence: str, where: Any) -> _Refused:
    return _Refused(None, None, sentence, where.start_mark)


def _children(node: Any) -> Iterator[Any]:
    if isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from pair
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _check_keys(node: yaml.MappingNode) -> None:
    seen = set()
    for key, _ in node.value:
        if key.tag == "tag:yaml.org,2002:merge":
            continue
        if key.tag != "tag:yaml.org,2002:str":
            shown = repr(key.value[:_SHOWN]) if isinstance(key, yaml.ScalarNode) else "a list or mapping"
            raise _wrong(f"a key must be text; got {shown}; does it need quotes?", key)
        if key.value in seen:
            raise _wrong(f"the key {key.value[:_SHOWN]!r} is repeated here", key)
        if "\n" in key.value:
            raise _wrong(f"the key {key.value[:_SHOWN]!r} contains a line break", key)
        seen.add(key.value)


def _whole_number(loader: Any, node: yaml.ScalarNode) -> int:
    try:
        number: int = loader.construct_yaml_int(node)
    except ValueError:
        number = 2**63
    if abs(number) >= 2**63:
        raise _wrong(f"{node.value[:_SHOWN]!r} is not an integer of at most 64 bits", node)
    return number


def _number(loader: Any, node: yaml.ScalarNode) -> float:
    try:
        number: float = loader.construct_yaml_float(node)
    except (ValueError, OverflowError):
        number = math.inf
    if not math.isfinite(number):
        raise _wrong(f"{node.value[:_SHOWN]!r} is not a finite number", node)
    return number


def _text(loader: Any, node: yaml.ScalarNode) -> str:
    """Return dates as text."""
    return str(loader.construct_scalar(node))


for _kind in _LOADERS:
    _kind.add_constructor("tag:yaml.org,2002:int", _whole_number)
    _kind.add_constructor("tag:yaml.org,2002:float", _number)
    _kind.add_constructor("tag:yaml.org,2002:timestamp", _text)


def _loaded(text: str) -> Any:
    """Return the content of a text; what one loader refuses, the next one refuses or reads."""
    for kind in _LOADERS:
        loader = kind(text)
        try:
            return loader.get_single_data()
        except yaml.YAMLError:
            if kind is _LOADERS[-1]:
                raise
        finally:
            loader.dispose()
    raise AssertionError


def read_yaml(path: str | Path) -> Any:
    """Read a YAML file: texts, finite numbers, truth values, lists, and mappings whose keys are texts.

    Raises ConfigurationError, with file and line, if it does not exist or is not YAML; if it has tags, a key twice in a
    mapping, more than 20,000 values (those behind an alias counted each time), or values nested more than 40 deep.
    """
    try:
        with open_regular(path) as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ConfigurationError(f"{path}: a configuration file has at most {_MOST_BYTES:,} bytes")
        return _loaded(content.decode("utf-8-sig"))
    except FileNotFoundError:
        raise ConfigurationError(f"{path}: no such file") from None
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        reason = getattr(error, "problem", None) or error
        kind = "" if isinstance(error, _Refused) else "not YAML: "
        raise ConfigurationError(f"{path}{line}: {kind}{reason}") from error


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_unique(_: Any, wanted: bool, values: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    """Find equal items in one pass; jsonschema compares all pairs."""
    if wanted and isinstance(values, list):
        texts = [json.dumps(value, sort_keys=True, default=str) for value in values]
        if len(set(texts)) < len(texts):
            repeated = Counter(texts).most_common(1)[0][0]
            yield jsonschema.ValidationError(f"{repeated} is listed twice")


# JSON schema counts 2.0 as an integer.
_Validator: Any = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator,
    {"uniqueItems": _check_unique},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


@cache
def _validator(schema: str) -> Any:
    return _Validator(yaml.safe_load((_SCHEMAS / f"{schema}.schema.yaml").read_text(encoding="utf-8")))


def validate(content: Any, schema: str | Mapping[str, Any], where: str) -> None:
    """Check a configuration against one of the schemas of ``workflow/schemas``, by its name, or a JSON schema.

    Raises ConfigurationError at the first deviation: the file, the key, what is wrong and what is allowed.
    """
    _check_extent(content, where)
    validator = _validator(schema) if isinstance(schema, str) else _Validator(schema)
    errors = list(islice(validator.iter_errors(content), _MOST_ERRORS))
    if errors:
        first = min(errors, key=lambda error: (list(map(str, error.absolute_path)), error.message))
        raise ConfigurationError(_sentence(_most_telling(first), where))


def _check_extent(content: Any, where: str) -> None:
    """Refuse too many values: a configuration read by Snakemake may have expanded aliases."""
    pending = [content]
    for _ in range(_MOST_VALUES):
        if not pending:
            return
        value = pending.pop()
        if isinstance(value, Mapping):
            pending += [*value, *value.values()]
        elif isinstance(value, list):
            pending += value
    raise ConfigurationError(f"{where}: more than {_MOST_VALUES} values, with aliases expanded")


def _most_telling(error: jsonschema.ValidationError) -> jsonschema.ValidationError:
    """Of the alternatives of an anyOf, return the deepest error."""
    while error.context:
        error = max(error.context, key=lambda e: len(e.absolute_path))
    return error


def _sentence(error: Any, where: str) -> str:
    key = ".".join(map(str, error.absolute_path))
    place = f"{where}: {key}" if key else where
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = list(error.schema.get("properties", {}))
        unknown = next(k for k in error.instance if k not in known)
        return unknown_name("key", _short(str(unknown)), known, place)
    if error.validator == "enum":
        return unknown_name("value", _short(str(error.instance)), map(str, error.validator_value), place)
    if error.validator == "required":
        missing = next(k for k in error.validator_value if k not in error.instance)
        return f"{place}: the key {missing!r} is missing"
    if error.validator == "type":
        wanted = error.validator_value
        wanted = " or ".join(wanted) if isinstance(wanted, list) else wanted
        return f"{place}: expected {wanted}, got {_short(repr(error.instance))}"
    return f"{place}: {_short(error.message, 4 * _SHOWN)}"


def _short(text: str, length: int = _SHOWN) -> str:
    return text if len(text) <= length else f"{text[:length]}..."

"""Validate crates by the rocrate-validator and print what is wrong with each, as a line of JSON; a process of its own.

The validator fetches the contexts that a crate names. Here they are given to it: the terms of RO-Crate 1.1 and of
workflow runs that our crates use, so that a term which is none of them is found.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import ClassVar

from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils.http import HttpRequester

SCHEMA = "http://schema.org/"
TERMS = """
    about actionStatus additionalType author citation codeRepository contentSize datePublished description
    encodingFormat endTime exampleOfWork familyName givenName hasPart identifier instrument license mainEntity mentions
    multipleValues name object programmingLanguage propertyID result sameAs startTime url value valueRequired version
    workExample ComputerLanguage CreateAction CreativeWork Dataset Organization Person PropertyValue ScholarlyArticle
    SoftwareSourceCode
"""
RO_CRATE = {term: SCHEMA + term for term in TERMS.split()} | {
    "File": f"{SCHEMA}MediaObject",
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "FormalParameter": "https://bioschemas.org/FormalParameter",
    "conformsTo": "http://purl.org/dc/terms/conformsTo",
    "input": "https://bioschemas.org/ComputationalWorkflow#input",
    "output": "https://bioschemas.org/ComputationalWorkflow#output",
}
CONTEXTS = {
    "https://w3id.org/ro/crate/1.1/context": RO_CRATE,
    "https://w3id.org/ro/terms/workflow-run/context": {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"},
}


class Context:
    """The answer to a request for a context."""

    status_code = 200
    headers: ClassVar = {"Content-Type": "application/ld+json"}

    def __init__(self, address: str) -> None:
        self.text = json.dumps({"@context": CONTEXTS[address]})

    def json(self) -> dict:
        return json.loads(self.text)


def main(cache: str, *crates: str) -> None:
    HttpRequester.get = lambda self, address, **options: Context(address)
    for crate in crates:
        settings = ValidationSettings(
            rocrate_uri=crate,
            profile_identifier="workflow-run-crate",  # and what it is based on
            requirement_severity=Severity.REQUIRED,
            skip_availability_check=True,
            offline=True,
            cache_path=Path(cache),
        )
        result = services.validate(settings)
        print(json.dumps([str(issue.message) for issue in result.get_issues()]))


if __name__ == "__main__":
    main(*sys.argv[1:])

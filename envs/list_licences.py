"""Print the packages of a CycloneDX file and their licences as a Markdown table: make sbom."""

import json
import sys
from pathlib import Path

print("| package | version | licence |\n| --- | --- | --- |")
for component in sorted(
    json.loads(Path(sys.argv[1]).read_text("utf-8"))["components"], key=lambda own: own["name"].lower()
):
    licences = (
        entry.get("expression") or entry["license"].get("id") or entry["license"]["name"].rpartition(" :: ")[2]
        for entry in component.get("licenses", [])
    )
    print(f"| {component['name']} | {component['version']} | {'; '.join(dict.fromkeys(licences)) or 'not stated'} |")

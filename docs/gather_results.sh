#!/bin/sh
# Copies what is committed of finished runs into results/reference, and brings the documents up to date (make reference).
# Spectra of the comparisons alone: the papers' would take their site above 20 MB.
set -e
cd "$(dirname "$0")/.."
for manifest in $(ls results/paper/*/manifest.json results/peers/*/manifest.json 2> /dev/null); do
    study=$(dirname "$manifest") kept=results/reference/$(basename "$(dirname "$manifest")")
    mkdir -p "$kept"
    cp "$study"/*.csv "$study"/*.md "$study"/*.tex "$study"/figure*.svg "$study"/figure*.json "$manifest" "$study/scores.parquet" "$kept"
    for name in errors proximities; do
        [ ! -f "$study/$name.parquet" ] || cp "$study/$name.parquet" "$kept"
    done
    gzip -9nf "$kept/summary.csv"
    if [ -f "$study/figure-spectra.png" ]; then # every eigenvalue a point of a curve: as SVG and points nearly 2 MB
        rm "$kept/figure-spectra.svg" "$kept/figure-spectra.json"
        cp "$study/figure-spectra.png" "$kept"
    fi
done
for spectra in $(ls results/peers/*/spectra.parquet 2> /dev/null); do
    cp "$spectra" "results/reference/$(basename "$(dirname "$spectra")")"
done
.venv/bin/python docs/update_evidence.py
.venv/bin/python benchmarks/reducebench.py answers
.venv/bin/python benchmarks/reducebench.py page
.venv/bin/python docs/update_results.py # last: it ends with an error where words of a page no longer hold

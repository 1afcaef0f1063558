# Two commands for a fresh machine: `make demo` and `make test`. Both install the locked set into .venv when it
# is missing or older than the lock, and otherwise start at once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CORES ?= all

.PHONY: help demo test lint types unit check-workflow install weka lock benchmark reference pictures clean

help:
	@echo "make demo       the studies on the embedded data, at a small size; ends by naming the report"
	@echo "make test       lint, types and every test"
	@echo "make benchmark  what the speed claims rest on"
	@echo "make reference  the full protocols, and their summary into results/reference"
	@echo "make pictures   the pictures of docs/methods, from the data set scene"
	@echo "make weka       Weka 3.6 for the comparison of model trees (Debian packages; root)"
	@echo "make lock       resolve envs/requirements.lock anew"

install: $(STAMP)

$(STAMP): envs/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mlreduce needs Python 3.11 or later; $(PYTHON) is older. Name another with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r envs/requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
	@touch $@

# For tests and benchmarks only.
weka:
	@test -f /usr/share/java/weka.jar || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null && \
		timeout 120 apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -qq --no-install-recommends weka default-jre-headless > /dev/null; }

demo: $(STAMP)
	@$(BIN)/snakemake --cores $(CORES) --quiet rules
	@echo "The report: $(CURDIR)/results/demo/report.html"

test: lint types check-workflow unit

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow

types: $(STAMP)
	$(BIN)/mypy

check-workflow: $(STAMP)
	$(BIN)/snakemake --lint

# A process a core, each with one thread: many small problems, which threads only slow down.
unit: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest --numprocesses auto --dist loadfile

benchmark: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/bibtex_split.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/projections.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/model_trees.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/information.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/selection.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/embeddings.py

# The committed summary of a full run. Give MLREDUCE_MIRROR where the published files are at hand already.
REFERENCE := results/reference
reference: $(STAMP)
	$(BIN)/snakemake --cores $(CORES) --quiet rules --configfile config/paper.yaml
	for study in $$(ls config/studies | sed 's/.yaml$$//'); do \
		mkdir -p $(REFERENCE)/$$study; \
		cp results/paper/$$study/*.csv results/paper/$$study/*.md results/paper/$$study/*.tex \
			results/paper/$$study/*.png results/paper/$$study/manifest.json $(REFERENCE)/$$study; \
		gzip -9nf $(REFERENCE)/$$study/summary.csv; \
	done
	$(BIN)/python docs/update_readme.py

lock: $(STAMP)
	$(BIN)/uv pip compile pyproject.toml --extra workflow --extra dev --universal --python-version 3.11 \
		--fork-strategy fewest --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" --quiet --upgrade --output-file envs/requirements.lock

clean:
	rm -rf $(VENV)

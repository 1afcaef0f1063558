# Two commands for a fresh machine: `make demo` and `make test`. Both install the locked set into .venv when it
# is missing or older than the lock, and otherwise start at once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
CORES ?= all

DOCS_STAMP := $(VENV)/.docs-installed

.PHONY: help gather demo plan test test-all test-documents test-places test-cluster test-kernel test-oldest test-wheel test-site docs build sbom \
	mutants-of-methods audit lint types unit promises check-workflow install chromium weka slurm fuzz lock benchmark deviations reference site verdicts verify \
	pictures clean

help:
	@echo "make demo       the studies on the embedded data, at a small size; ends by naming the report"
	@echo "make plan       what the demo would run, as a table of steps"
	@echo "make test       lint, types and the tests of the library, minutes"
	@echo "make promises   one test per promise to users of the workflow, and pieces of the papers on published data"
	@echo "make test-all   every test: whole studies, faults, the cluster and fuzzing too; branch coverage of 90 % or more"
	@echo "make test-documents  the commands and code of an eighth of the documents as printed, by the day; DOCUMENTS=all"
	@echo "make test-places  a study in an odd folder, locale or user's rights, by the day; PLACES=space,umask names some, PLACES=all"
	@echo "make test-cluster  the workflow on a Slurm of one node (installs Debian's packages, with root); some minutes"
	@echo "make test-kernel  the methods' definitions and the docstrings' examples with OpenBLAS's kernels for another processor;"
	@echo "                KERNEL=Haswell names it, otherwise the day chooses; a minute"
	@echo "make mutants-of-methods  changes every method in several ways; each must fail the method's definition; seconds"
	@echo "make test-oldest  the library's tests with the oldest dependencies that it supports; some minutes"
	@echo "make test-wheel the built package in clean environments: the core alone, and with figures; a minute"
	@echo "make benchmark  every method beside other packages, and what the speed claims rest on (an hour)"
	@echo "make deviations experiments on what is not reproduced, as tables in docs/deviations (an hour)"
	@echo "make reference  the full protocols, and their summary into results/reference"
	@echo "make site       results/reference as pages to explore, in results/site; RUNS=\"a b\" compares two runs"
	@echo "make verdicts   judges the claims again from the scores in results/reference and compares, minutes"
	@echo "make verify     recomputes a random 2 % of the cells in results/reference and compares (MINUTES=1: as far as it gets)"
	@echo "make docs       the documentation site, into docs/_build/html"
	@echo "make test-site  make docs, and the site in Chromium (a Debian package, installed with root)"
	@echo "make pictures   the pictures of docs/methods, from the data set scene"
	@echo "make fuzz       a million hostile files for the readers, guided by coverage; INPUTS=... for fewer"
	@echo "make weka       Weka 3.6 for the comparison of model trees (Debian packages; root)"
	@echo "make sbom       packages and licences behind the tested wheel; make audit: known vulnerabilities of the locked packages"
	@echo "make lock       resolve envs/requirements.lock anew"

install: $(STAMP)

# By uv; by pip, in minutes, where uv reaches no index (it does not read pip's configuration).
$(STAMP): envs/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mlreduce needs Python 3.11 or later; $(PYTHON) is older. Name another with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r envs/installer.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r envs/requirements.lock || \
		$(PIP) --require-hashes -r envs/requirements.lock
	$(PIP) --no-deps --no-build-isolation --no-index -e .
	@printf '../../../../src\n' > "$$(ls $(VENV)/lib/python*/site-packages/*_mlreduce.pth)" # from there: Python reads no other letters in the C locale
	$(BIN)/python -m compileall -q src workflow/lib
	$(BIN)/python envs/compile_loops.py
	@touch $@

$(DOCS_STAMP): $(STAMP) envs/docs.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --require-hashes -r envs/docs.lock || \
		$(PIP) --require-hashes -r envs/docs.lock
	@touch $@

# Needs no network once its packages are there. From scratch: a page that is no more would stay.
docs: $(DOCS_STAMP)
	rm -rf docs/_build docs/api docs/gallery
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto --conf-dir docs . docs/_build/html \
		--doctree-dir docs/_build/doctrees

test-site: docs chromium
	OMP_NUM_THREADS=1 $(BIN)/pytest tests/browser --numprocesses auto --dist loadfile

# For tests only.
chromium:
	@command -v chromium > /dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get > /dev/null && timeout 120 apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -qq --no-install-recommends chromium > /dev/null; } || \
		echo "Chromium is not installed, which takes Debian's package and root."

# For tests and benchmarks only.
weka:
	@test -f /usr/share/java/weka.jar || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null && \
		timeout 120 apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -qq --no-install-recommends weka default-jre-headless > /dev/null; }

# For tests only. Without a configuration in /etc/slurm, Debian starts none of it as a service.
slurm:
	@PATH="$$PATH:/usr/sbin"; { command -v slurmctld && command -v slurmd && command -v srun && command -v munged; } > /dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get > /dev/null && timeout 120 apt-get update -qq && \
		DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -qq --no-install-recommends slurmctld slurmd slurm-client munge > /dev/null; } || \
		echo "Slurm is not installed, which takes Debian's packages and root."

# One study first, so that there is a table to look at after seconds.
demo: $(STAMP)
	@$(BIN)/snakemake --cores $(CORES) --prioritize tables_mvmd_2016

plan: $(STAMP)
	@$(BIN)/snakemake --cores $(CORES) --dry-run

test: lint types check-workflow unit

test-all: lint types check-workflow weka
	OMP_NUM_THREADS=1 $(BIN)/pytest --cov --numprocesses auto --dist loadfile --no-loadscope-reorder
	$(MAKE) test-cluster test-site fuzz INPUTS=100000

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow

types: $(STAMP)
	$(BIN)/mypy

check-workflow: $(STAMP)
	$(BIN)/snakemake --lint

# One process per core, each with one thread: many small problems, which threads only slow down.
unit: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest -m "not slow" --numprocesses auto --dist loadfile

# One test per promise to users of the workflow, and pieces of the papers where MLREDUCE_MIRROR has the published data.
promises: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest -m promise --numprocesses auto --dist worksteal
	$(BIN)/python tests/pieces.py

# As printed, in a clean clone: pages that are not in the quick tests. The demo is run only where it is not finished here.
DOCUMENTS ?= today
test-documents: $(STAMP)
	DOCUMENTS=$(DOCUMENTS) OMP_NUM_THREADS=1 $(BIN)/pytest -m slow tests/test_documents.py

# Where and how a run is started: one of the cases of tests/faults/test_places.py.
PLACES ?= today
test-places: $(STAMP)
	PLACES=$(PLACES) OMP_NUM_THREADS=1 $(BIN)/pytest tests/faults/test_places.py

# Two to four minutes; after ten it ends as by Ctrl-C. Without Slurm the tests are skipped.
test-cluster: $(STAMP) slurm
	OMP_NUM_THREADS=1 timeout --signal=INT --kill-after=30 600 $(BIN)/pytest tests/cluster

# What methods compute must not depend on rounding, which other processors do otherwise; tests/blas_kernels.py says how.
KERNEL ?=
DEFINITIONS := $(addprefix tests/,test_definitions.py linalg spectral projection embedding propagation labelspace \
	selection predictors test_examples.py test_contracts.py)
test-kernel: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python tests/blas_kernels.py "$(KERNEL)" \
		$(BIN)/pytest -m "not slow" --numprocesses auto --dist loadfile $(DEFINITIONS)

# Every method changed in several ways, of which its definition (tests/definitions) must notice each. TO=FILE keeps the table.
mutants-of-methods: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python tests/mutants_of_methods.py $(if $(TO),--to $(TO))

# The package as users get it. Versions of dependencies are the locked ones, so that only a change of ours can fail.
DIST := $(VENV)/dist
build: $(STAMP)
	rm -rf $(DIST)
	$(BIN)/python -m build --no-isolation --outdir $(DIST) . > /dev/null
	@test $$(stat -c %s $(DIST)/*.whl) -lt 1000000 || { echo "the wheel has a megabyte or more"; exit 1; }

# Into an environment of its own: by uv, or by pip where uv reaches no index.
installed = $(BIN)/uv pip install --quiet --python $(1)/bin/python $(2) || \
	$(BIN)/python -m pip --python $(1)/bin/python install --quiet --disable-pip-version-check $(2)

CLEAN := $(VENV)/clean
test-wheel: build
	$(PYTHON) -m venv --clear --without-pip $(CLEAN)
	sed -n 's/ *\\$$//; /^[a-z].*==/p' envs/requirements.lock > $(CLEAN)/constraints.txt
	$(call installed,$(CLEAN),-c $(CLEAN)/constraints.txt $(DIST)/*.whl)
	cd $(CLEAN) && bin/python "$(CURDIR)/tests/clean_install.py"
	$(call installed,$(CLEAN),-c $(CLEAN)/constraints.txt "$$(ls $(DIST)/*.whl)[plot]")
	cd $(CLEAN) && bin/python "$(CURDIR)/tests/clean_install.py" plot

# Tools for releases, in an environment of their own.
TOOLS := $(VENV)/release
$(TOOLS)/.installed: $(STAMP) envs/release.lock
	$(PYTHON) -m venv --clear --without-pip $(TOOLS)
	$(call installed,$(TOOLS),--require-hashes -r envs/release.lock)
	@touch $@

# Packages and licences behind the wheel that test-wheel installed, as a CycloneDX file and as a table.
SBOM := $(VENV)/sbom
sbom: test-wheel $(TOOLS)/.installed
	@mkdir -p $(SBOM)
	$(TOOLS)/bin/cyclonedx-py environment --output-reproducible --of JSON -o $(SBOM)/mlreduce.cdx.json $(CLEAN)/bin/python
	$(BIN)/python envs/list_licences.py $(SBOM)/mlreduce.cdx.json > $(SBOM)/licences.md

# Known vulnerabilities of the locked packages; asks the package index.
audit: $(TOOLS)/.installed
	for lock in requirements docs release; do $(TOOLS)/bin/pip-audit --strict --disable-pip --require-hashes -r envs/$$lock.lock || exit 1; done

# The lower bounds of pyproject.toml, with Python 3.11; without the extra `workflow` its tests are left out.
OLDEST := $(VENV)/oldest
test-oldest: build
	$(PYTHON) -m venv --clear --without-pip $(OLDEST)
	$(call installed,$(OLDEST),--require-hashes -r envs/oldest.lock)
	$(call installed,$(OLDEST),--no-deps --no-index $(DIST)/*.whl)
	OMP_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -m "not slow" --numprocesses auto --dist loadfile

# Other packages where they are found; benchmarks/peers.py says how. Into results/speed; a table that is there is completed.
benchmark: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/peers.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/bibtex_split.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/projections.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/model_trees.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/information.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/selection.py
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/embeddings.py

# What was tried is kept in the folder: a run that was stopped goes on where it was.
INPUTS ?= 1000000
FUZZ_FOLDER ?= $(or $(TMPDIR),/tmp)/mlreduce-fuzz
fuzz: $(STAMP)
	OPENBLAS_NUM_THREADS=1 nice -n 10 $(BIN)/python tests/fuzz/fuzz_readers.py --inputs $(INPUTS) --folder $(FUZZ_FOLDER)

# Experiments of docs/deviations.md; a table that is there is completed.
deviations: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/deviations.py

# The committed results of a full run, the scores of every split among them. Give MLREDUCE_MIRROR where the published files are at hand already.
REFERENCE := results/reference
reference: $(STAMP)
	$(BIN)/snakemake --cores $(CORES) --quiet rules --configfile config/paper.yaml
	$(BIN)/snakemake --cores $(CORES) --quiet rules --configfile config/peers.yaml
	$(MAKE) gather

# What is committed of the results of finished runs. Spectra of the comparisons alone: the papers' would take their site above 20 MB.
gather: $(STAMP)
	for study in $$(dirname $$(ls results/paper/*/manifest.json results/peers/*/manifest.json 2> /dev/null)); do \
		own=$(REFERENCE)/$$(basename $$study); mkdir -p $$own; \
		cp $$study/*.csv $$study/*.md $$study/*.tex $$study/*.png $$study/manifest.json $$study/scores.parquet $$own; \
		for kept in errors proximities; do \
			[ ! -f $$study/$$kept.parquet ] || cp $$study/$$kept.parquet $$own; \
		done; \
		gzip -9nf $$own/summary.csv; \
	done
	for path in $$(ls results/peers/*/spectra.parquet 2> /dev/null); do cp $$path $(REFERENCE)/$$(basename $$(dirname $$path)); done
	$(BIN)/python docs/update_results.py
	$(BIN)/python docs/update_evidence.py

# Pages to explore, of results/reference; RUNS="results/demo results/mine" compares two runs cell by cell.
RUNS ?= $(REFERENCE)
SITE ?= results/site
site: $(STAMP)
	$(BIN)/python -m mlreduce_studies.site $(RUNS) --to $(SITE)

pictures: $(STAMP)
	$(BIN)/python docs/methods/pictures.py

verdicts: $(STAMP)
	$(BIN)/python -m mlreduce_studies.verdicts results/reference/*

# A random sample of the committed summary, computed anew from the data; the seed is printed. SHARE=0.02 of the cells,
# SEED, MINUTES, STUDIES and DATASETS (with commas), KEEP=FOLDER for the scores, as the options of these names.
# With the reference run's arithmetic where this processor has it: docs/design.md says what differs with others.
verify: $(STAMP)
	$(if $(shell grep -sm1 avx512dq /proc/cpuinfo),OPENBLAS_CORETYPE=$${OPENBLAS_CORETYPE:-SkylakeX}) \
		$(BIN)/python -m mlreduce_studies.provenance.verify cells $(if $(SHARE),--share $(SHARE)) $(if $(SEED),--seed $(SEED)) \
		$(if $(MINUTES),--minutes $(MINUTES)) $(if $(STUDIES),--studies $(STUDIES)) $(if $(DATASETS),--datasets $(DATASETS)) \
		$(if $(KEEP),--keep $(KEEP))

lock: $(STAMP)
	$(BIN)/uv pip compile pyproject.toml --extra workflow --extra dev --universal --python-version 3.11 \
		--fork-strategy fewest --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" --quiet --upgrade --output-file envs/requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra docs --constraint envs/requirements.lock --universal --python-version 3.11 \
		--fork-strategy fewest --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" --quiet --upgrade --output-file envs/docs.lock
	$(BIN)/uv pip compile pyproject.toml --extra data --extra plot --extra test --python-version 3.11 \
		--resolution lowest-direct --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" --quiet --output-file envs/oldest.lock
	$(BIN)/uv pip compile --group release --constraint envs/requirements.lock --universal --python-version 3.11 \
		--fork-strategy fewest --generate-hashes --no-annotate --no-emit-index-url --no-emit-find-links \
		--custom-compile-command "make lock" --quiet --upgrade --output-file envs/release.lock
	@{ echo "# uv, which installs the rest in a tenth of pip's time. Taken from requirements.lock by: make lock"; \
		awk '/^[a-z]/ { own = /^uv==/ } own' envs/requirements.lock; } > envs/installer.lock

clean:
	rm -rf $(VENV)

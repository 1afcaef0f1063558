# Targets install the locked set into .venv when it is missing or older than the lock. `make help` prints what follows ##.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
CORES ?= all
# One process per core, each with one thread: many small problems, which threads only slow down.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest
PARALLEL := --numprocesses auto --dist loadfile

.PHONY: $(shell sed -n 's/^\([a-z -]*\):.*/\1/p' Makefile)

help:
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 21

install: $(STAMP)

$(STAMP): envs/requirements.lock pyproject.toml
	@envs/install.sh $(PYTHON) "$(MAKECMDGOALS)"
	@touch $@

# One study first, so that there is a table to look at after seconds.
demo: $(STAMP) ## the studies on the embedded data, at a small size; ends by naming the report
	@$(BIN)/snakemake --cores $(CORES) --prioritize tables_mvmd_2016

plan: $(STAMP) ## what the demo would run, as a table of steps
	@$(BIN)/snakemake --cores $(CORES) --dry-run

test: lint types check-workflow unit ## lint, types and the tests of the library, minutes

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow

types: $(STAMP)
	$(BIN)/python envs/write_stubs.py
	$(BIN)/mypy

check-workflow: $(STAMP)
	$(BIN)/snakemake --lint

unit: $(STAMP)
	$(PYTEST) -m "not slow" $(PARALLEL)

promises: $(STAMP) ## one test per promise to users, and pieces of the papers on published data
	$(PYTEST) -m promise --numprocesses auto --dist worksteal
	$(BIN)/python tests/pieces.py

test-all: lint types check-workflow weka ## every test: slow ones, cluster and fuzzing too; branch coverage
	$(PYTEST) --cov $(PARALLEL) --no-loadscope-reorder
	$(MAKE) test-cluster test-site fuzz INPUTS=100000

test-documents: $(STAMP) ## what an eighth of the documents prints to be typed, by the day; DOCUMENTS=all
	DOCUMENTS=$(or $(DOCUMENTS),today) $(PYTEST) -m slow tests/test_documents.py

test-places: $(STAMP) ## a study in an odd folder, locale or with odd rights, by the day; PLACES=all
	PLACES=$(or $(PLACES),today) $(PYTEST) tests/faults/test_places.py

# Two to four minutes; after ten it ends as by Ctrl-C. Without Slurm the tests are skipped.
test-cluster: $(STAMP) slurm ## the workflow on a Slurm of one node (a package, with root); some minutes
	OMP_NUM_THREADS=1 timeout --signal=INT --kill-after=30 600 $(BIN)/pytest tests/cluster

test-kernel: $(STAMP) ## what methods compute with OpenBLAS's kernels of another processor, by the day; KERNEL=Haswell
	OMP_NUM_THREADS=1 $(BIN)/python tests/blas_kernels.py "$(KERNEL)" $(BIN)/pytest -m "not slow" $(PARALLEL) \
		$(addprefix tests/,test_definitions.py linalg spectral projection embedding propagation labelspace selection \
		predictors test_examples.py test_contracts.py)

mutants-of-methods: $(STAMP) ## changes every method; its definition must notice each change; TO=FILE of the table
	OMP_NUM_THREADS=1 $(BIN)/python tests/mutants_of_methods.py $(if $(TO),--to $(TO))

test-wheel: ## the built package in clean environments; a minute
test-oldest: ## the library's tests with the oldest dependencies that it supports; some minutes
sbom: ## packages and licences behind the tested wheel
audit: ## known vulnerabilities of the locked packages
build test-wheel test-oldest sbom audit: $(STAMP)
	envs/release.sh $@

benchmark: .venv/.benchmark-installed ## every method beside other packages, and the claims on speed (hours)
	for name in peers digits bibtex_split projections model_trees information selection embeddings; do \
		OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/$$name.py || exit 1; done

.venv/.benchmark-installed: $(STAMP) envs/benchmark.lock
	UV_COMPILE_BYTECODE=1 envs/install_into.sh .venv --require-hashes -r envs/benchmark.lock
	@touch $@

deviations: ## experiments on what is not reproduced, into docs/deviations (an hour)
defaults: ## all defaults on eight data sets, into docs/defaults.md (minutes)
deviations defaults: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/$@.py

reference: $(STAMP) ## the full protocols, and their summary into results/reference; MLREDUCE_MIRROR=FOLDER of published files
	$(BIN)/snakemake --cores $(CORES) --quiet rules --configfile config/paper.yaml
	$(BIN)/snakemake --cores $(CORES) --quiet rules --configfile config/peers.yaml
	docs/gather_results.sh

site: $(STAMP) ## results/reference as pages to explore, in results/site; RUNS="a b" compares two runs
	$(BIN)/python -m mlreduce_studies.site $(or $(RUNS),results/reference) --to $(or $(SITE),results/site)

verdicts: $(STAMP) ## judges the claims in results/reference again and compares, minutes
	$(BIN)/python -m mlreduce_studies.verdicts results/reference/*

# With the reference run's arithmetic where this processor has it: docs/design.md says what differs with others.
verify: $(STAMP) ## recomputes a random 2 % of results/reference; SHARE, SEED, MINUTES, STUDIES, DATASETS, KEEP=FOLDER
	$(if $(shell grep -sm1 avx512dq /proc/cpuinfo),OPENBLAS_CORETYPE=$${OPENBLAS_CORETYPE:-SkylakeX}) \
		$(BIN)/python -m mlreduce_studies.provenance.verify cells $(foreach name,share seed minutes studies datasets keep, \
		$(addprefix --$(name) ,$($(shell echo $(name) | tr a-z A-Z))))

# From scratch: a page that is no more would stay.
docs: .venv/.docs-installed ## the documentation site, into docs/_build/html
	rm -rf docs/_build docs/api docs/gallery
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto --conf-dir docs . docs/_build/html \
		--doctree-dir docs/_build/doctrees

.venv/.docs-installed: $(STAMP) envs/docs.lock
	UV_COMPILE_BYTECODE=1 envs/install_into.sh .venv --require-hashes -r envs/docs.lock
	@touch $@

test-site: docs chromium ## make docs, and the site in Chromium (a package, with root)
	$(PYTEST) tests/browser $(PARALLEL)

pictures: $(STAMP) ## the pictures of docs/methods, from the data set scene
	$(BIN)/python docs/methods/pictures.py

fuzz: $(STAMP) ## a million hostile files for the readers; goes on where it was; INPUTS=... for fewer
	OPENBLAS_NUM_THREADS=1 nice -n 10 $(BIN)/python tests/fuzz/fuzz_readers.py --inputs $(or $(INPUTS),1000000)

chromium slurm weka:
	@envs/debian.sh $@

lock: $(STAMP) ## resolves the lock files anew
	envs/lock.sh

clean:
	rm -rf .venv

# Targets install the locked set into .venv where missing or old. `make help` prints what follows ##.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
CORES ?= all
# Threads slow many small problems down.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/pytest
PARALLEL := -n auto --dist loadfile

.PHONY: $(shell sed -n 's/^\([a-z -]*\):.*/\1/p' Makefile)

help:
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 21

install: $(STAMP)

$(STAMP): envs/requirements.lock pyproject.toml
	@envs/install.sh $(PYTHON) "$(MAKECMDGOALS)"
	@touch $@

DEMO = $(BIN)/snakemake --cores $(CORES) --config studies="$(or $(STUDIES),mvmd-2016 cplst-2012 gmba-2016)"

demo: $(STAMP) ## a paper per family (STUDIES), small, on embedded data; ends by naming the report
	@$(DEMO)

plan: $(STAMP) ## what the demo would run, as a table of steps
	@$(DEMO) --dry-run

test: lint types check-workflow unit ## lint, types and tests; all cases with CASES=all

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow

types: $(STAMP)
	$(BIN)/mypy

check-workflow: $(STAMP)
	$(BIN)/snakemake --lint

unit: $(STAMP)
	CASES=$(or $(CASES),today) $(PYTEST) -m "not slow" $(PARALLEL)

promises: $(STAMP) ## a test per promise to users, pieces of the papers
	$(PYTEST) -m promise -n auto --dist worksteal
	$(BIN)/python tests/pieces.py

test-all: lint types check-workflow programs weka .venv/.article-installed ## every test, with branch coverage
	$(PYTEST) --cov --hypothesis-profile thorough $(PARALLEL) --no-loadscope-reorder
	$(MAKE) test-cluster test-site fuzz INPUTS=100000 CASES=all

test-documents: $(STAMP) ## commands of an eighteenth of the documents, by the day; DOCUMENTS=all
	DOCUMENTS=$(or $(DOCUMENTS),today) $(PYTEST) -m slow tests/test_documents.py

test-places: $(STAMP) ## a study in an odd place, by the day; PLACES=all
	PLACES=$(or $(PLACES),today) $(PYTEST) tests/faults/test_places.py

# After 15 minutes it ends as by Ctrl-C. Without Slurm the tests are skipped.
test-cluster: $(STAMP) slurm ## the workflow on a Slurm of two nodes (root); minutes
	OMP_NUM_THREADS=1 timeout --signal=INT --kill-after=30 900 $(BIN)/pytest tests/cluster

test-kernel: $(STAMP) ## methods with another processor's BLAS kernels, by the day; KERNEL=Haswell
	OMP_NUM_THREADS=1 $(BIN)/python tests/blas_kernels.py "$(KERNEL)" $(BIN)/pytest -m "not slow" $(PARALLEL) \
		$(addprefix tests/,test_definitions.py linalg spectral projection embedding propagation labelspace)

mutants-of-methods: $(STAMP) ## changes every method, which its definition must notice; TO=FILE of the table
	OMP_NUM_THREADS=1 $(BIN)/python tests/mutants_of_methods.py $(if $(TO),--to $(TO))

test-wheel: ## the built package in clean environments; a minute
test-oldest: ## the library's tests with its oldest dependencies; minutes
sbom: ## packages and licences behind the tested wheel
audit: ## known vulnerabilities of the locked packages
build test-wheel test-oldest sbom audit: $(STAMP)
	envs/release.sh $@

benchmark: .venv/.benchmark-installed ## methods beside other packages (hours)
	for name in peers digits model_trees information selection; do \
		OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/$$name.py || exit 1; done

.venv/.%-installed: $(STAMP) envs/%.lock
	UV_COMPILE_BYTECODE=1 envs/install_into.sh .venv --require-hashes --no-deps -r envs/$*.lock
	@touch $@

deviations: ## experiments on what is not reproduced (an hour)
defaults: ## all defaults on 40 data sets, into docs/defaults.md (hours)
sizes: ## all methods at two common sizes, into docs/scale.md (an hour)
deviations defaults sizes: $(STAMP)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/$@.py

reference: $(STAMP) ## the full protocols, into results/reference; MLREDUCE_MIRROR=FOLDER
	for name in paper peers; do \
		$(BIN)/snakemake --cores $(CORES) --quiet rules --configfile config/$$name.yaml || exit 1; done
	docs/gather_results.sh

site: $(STAMP) ## results/reference as pages, in results/site; RUN=results/mine another run
	$(BIN)/python -m mlreduce_studies.site $(or $(RUN),results/reference) --to $(or $(SITE),results/site)

enter: $(STAMP) ## an entry of the leaderboard: METHOD=NAME
	$(BIN)/python -m mlreduce_studies.enter $(METHOD)

verdicts: $(STAMP) ## judges the claims again and compares, minutes
	$(BIN)/python -m mlreduce_studies.verdicts results/reference/*

# The reference run's arithmetic where the processor has it (docs/design.md).
ARITHMETIC = $(if $(shell grep -sm1 avx512dq /proc/cpuinfo),OPENBLAS_CORETYPE=$${OPENBLAS_CORETYPE:-SkylakeX})
given = $(foreach name,$1,$(addprefix --$(name) ,$($(shell echo $(name) | tr a-z A-Z))))

verify: $(STAMP) ## recomputes 2 % of results/reference; SHARE, SEED, MINUTES, STUDIES, DATASETS, KEEP=FOLDER
	$(ARITHMETIC) $(BIN)/python -m mlreduce_studies.provenance.verify cells \
		$(call given,share seed minutes studies datasets keep)

replicate: $(STAMP) ## runs a paper whole, and compares: PAPER, SPLITS, SEED, TO, FINISHED, SHARE
	$(ARITHMETIC) $(BIN)/python -m mlreduce_studies.provenance.replicate $(PAPER) $(call given,splits seed to finished share)

# From scratch, without pages of before.
docs: .venv/.docs-installed ## the documentation site, into docs/_build/html
	rm -rf docs/_build docs/api docs/gallery
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --jobs auto --conf-dir docs . docs/_build/html \
		--doctree-dir docs/_build/doctrees

article: .venv/.article-installed ## the article on all papers, into results/article
	$(BIN)/python docs/build_article.py

test-site: docs chromium ## make docs, and the site in Chromium (a package, with root)
	$(PYTEST) tests/browser -n 3 --dist loadfile

pictures: $(STAMP) ## the pictures of docs/methods, from the data set scene
	$(BIN)/python docs/methods/pictures.py

fuzz: $(STAMP) ## a million hostile files for the readers, continued; INPUTS=... for fewer
	OPENBLAS_NUM_THREADS=1 nice -n 10 $(BIN)/python tests/fuzz/fuzz_readers.py --inputs $(or $(INPUTS),1000000)

chromium programs slurm weka:
	@envs/debian.sh $@

lock: $(STAMP) ## resolves the lock files anew
	envs/lock.sh

clean:
	rm -rf .venv

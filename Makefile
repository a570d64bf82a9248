# Everything a checkout needs, `make help` lists it. A virtual environment is set up by itself on first use, pinned by
# constraints.txt, and renewed when that file, pyproject.toml, the place of the checkout or PYTHON changes.

PYTHON ?=
CPU ?=
WORKERS ?= auto
DEMO_SEEDS = 1 2 3
COVERED = engine codec envs arena
COVERED_BY =
FAST = tests/engine tests/graphs tests/codec tests/envs tests/test_game.py

RUN = .venv/bin/python -m
RUN_OLD = .venv-old/bin/python -m
# Each worker begins with one half of the files, so that what a file sets up once is set up in one of them.
PYTEST = pytest -n $(WORKERS) --maxprocesses 4 --dist worksteal
SETUP = sh scripts/release/make_venv.sh
MARK := $(shell { cat pyproject.toml constraints.txt constraints-tools.txt scripts/release/make_venv.sh; echo "$(CURDIR) $(PYTHON)"; } | cksum | cut -d' ' -f1)
READY = .venv/.ready-$(MARK)
READY_OLD = .venv-old/.ready-$(MARK)

.DEFAULT_GOAL := help
.PHONY: help setup demo demo-check test test-fast test-all coverage test-adapters mutants soak kills before-release audit lock warm-up lint format docs site wasm notebooks release-check clean clean-all

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "  PYTHON=...        the Python to use, 3.11 or newer (else the first one found)"

setup: $(READY) ## set up the virtual environment in .venv (the others do it by themselves)
	@echo ".venv is ready. For the commands of the README, activate it once in every shell:"
	@echo "  source .venv/bin/activate      # or type .venv/bin/planetwars instead of planetwars"

demo: $(READY) ## train an agent for one to three minutes and measure it against the bots, into runs/demo
	@$(RUN) planetwars_env demo

demo-check: $(READY) ## run the demo with seeds 1, 2, 3: each must win over 70 % of its games against random
	@for seed in $(DEMO_SEEDS); do $(RUN) planetwars_env demo --seed $$seed --out runs/demo-check/$$seed || exit 1; done
	@.venv/bin/python scripts/release/check_demo.py $(DEMO_SEEDS:%=runs/demo-check/%/results.json)

# Its examples are the same every time: `make test-all` tries more, and others.
test: export PLANETWARS_EXAMPLES ?= 40
test: $(READY) ## lint, then every test but the slow ones (what CI runs)
	@$(MAKE) --no-print-directory -j2 lint warm-up
	@$(RUN) $(PYTEST) -m "not slow"

test-fast: export PLANETWARS_EXAMPLES = 10
test-fast: warm-up ## tests of engine, graphs, codec, game and environments, with fewer examples: under a minute
	@$(RUN) $(PYTEST) -m "not slow and not long" $(FAST)

test-all: export PLANETWARS_EXAMPLES = 300
test-all: lint docs $(READY_OLD) coverage ## every test with more examples, under coverage, types of JavaScript (npm), then all on gymnasium 1.2.2
	@$(RUN) scripts.release.javascript.check
	@$(RUN) $(PYTEST) -m slow
	@PLANETWARS_EXAMPLES=100 $(RUN_OLD) $(PYTEST)
	@$(MAKE) --no-print-directory test-adapters

# Both want versions of mcp that exclude each other and the one of constraints.txt, and a newer pillow.
test-adapters: ## tests of the environments for verifiers and OpenEnv, each in a virtual environment of its own
	@for name in verifiers openenv; do \
		{ grep -viE '^(mcp|mcp-types|pillow)==' constraints.txt; grep -E '^(openenv|uv|verifiers)==' constraints-tools.txt; } > .constraints-$$name.txt; \
		$(SETUP) .venv-$$name .constraints-$$name.txt $$name,adapters $(PYTHON) || exit 1; \
		PATH="$(CURDIR)/.venv-$$name/bin:$$PATH" .venv-$$name/bin/python -m pytest tests/scripts/test_$$name.py || exit 1; \
	done

# Kernels are seen only uncompiled, everything else is quicker compiled; the two are put together.
coverage: warm-up ## statements and branches of engine, codec, envs and arena that tests reach: 95 % of each, or it fails
	@rm -f .coverage .coverage.*
	@COVERAGE_FILE=.coverage.compiled $(RUN) $(PYTEST) $(COVERED_BY) -m "not slow" --cov=planetwars_env --cov-report=
	@COVERAGE_FILE=.coverage.plain NUMBA_DISABLE_JIT=1 PLANETWARS_EXAMPLES=20 $(RUN) $(PYTEST) -m "kernels and not slow" --cov=planetwars_env --cov-report=
	@$(RUN) coverage combine --quiet .coverage.compiled .coverage.plain
	@failed=0; for part in $(COVERED); do $(RUN) coverage report --include="planetwars_env/$$part/*" --show-missing --skip-covered --fail-under=95 || failed=1; done; exit $$failed

mutants: $(READY) ## change engine, codec and view in 300 small ways: tests must notice 90 %; goes on where it was interrupted
	@$(RUN) scripts.verification.mutants --least 90

soak: $(READY) ## play 100 million random turns under audit, about half an hour on two cores; goes on where it was interrupted
	@$(RUN) scripts.verification.soak

kills: $(READY) ## kill commands some 200 times at random moments: they must come to the same and leave nothing
	@PLANETWARS_KILL_CHAINS=8 $(RUN) pytest -k killed_again tests/package/test_interruption.py

BEFORE_RELEASE = test-all docs release-check soak mutants test-adapters

before-release: $(READY) ## run all that a release must pass, in turn; what passed at this state of the files is not run again
	@passed="runs/before-release/$$(git rev-parse --short HEAD)-$$(git diff HEAD | cksum | cut -d' ' -f1)"; mkdir -p "$$passed"; \
	for step in $(BEFORE_RELEASE); do \
		if [ -e "$$passed/$$step" ]; then echo "$$step: passed before"; \
		else $(MAKE) --no-print-directory $$step || exit 1; touch "$$passed/$$step"; fi; \
	done; echo "Passed: $(BEFORE_RELEASE)."

audit: $(READY) ## look the pinned libraries up among those with known faults (pip-audit, which asks pypi.org)
	@.venv/bin/python -m venv .venv-audit && .venv-audit/bin/pip install --quiet pip-audit
	@for pins in constraints.txt constraints-tools.txt; do .venv-audit/bin/pip-audit --requirement $$pins --no-deps --disable-pip --strict || exit 1; done

lock: $(READY) ## write requirements.lock: constraints.txt with hashes (uv, which asks pypi.org); CPU=... builds of torch, a folder or an index
	@.venv/bin/python -m venv .venv-lock && .venv-lock/bin/pip install --quiet uv
	@$(RUN) scripts.release.lock .venv-lock/bin/uv $(if $(CPU),--cpu $(CPU))

# Workers that all start without machine code would each compile everything, side by side.
warm-up: $(READY)
	@PYTHONPATH=.:tests .venv/bin/python -m support.warm_up

lint: $(READY) ## check style (ruff), prose and types (pyright)
	@$(RUN) ruff check --quiet .
	@$(RUN) ruff format --check --quiet . || { echo "Some files are not formatted: 'make format' does it." >&2; exit 1; }
	@$(RUN) scripts.release.prose
	@$(RUN) pyright

format: $(READY) ## let ruff format the code and mend what it can
	@$(RUN) ruff format .
	@$(RUN) ruff check --fix .

docs: $(READY) ## build the documentation into site/, strictly; tables that come from the code are written anew
	@.venv/bin/python -m scripts.release.docs_tables
	@NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs build --strict --quiet
	@echo "The documentation is in site/index.html."

site: docs ## build the site into site/: the documentation, and in site/play/ pages to play, watch and edit without a server
	@$(RUN) scripts.release.site site/play
	@echo "The pages to play on are in site/play/play.html, watch.html and editor.html."

wasm: $(READY) ## build planetwars.wasm, the kernels for pages, and its manifest, which stand in planetwars_env/render (needs wasm-ld, of lld)
	@$(RUN) scripts.release.wasm.build

notebooks: $(READY) ## run the notebooks and write them with their outputs; one of them trains for some minutes
	@.venv/bin/python scripts/release/run_notebooks.py

release-check: $(READY) ## build sdist and wheel, and try the wheel and every extra in an empty environment
	@.venv/bin/python scripts/release/release_check.py

clean: ## remove what tests and builds leave behind (runs/ and .venv stay)
	@rm -rf build dist site .coverage .hypothesis .pytest_cache .ruff_cache .constraints-*.txt
	@find planetwars_env scripts tests -name __pycache__ -type d -prune -exec rm -rf {} +

clean-all: clean ## the same and the virtual environments
	@rm -rf .venv .venv-old .venv-verifiers .venv-openenv .venv-audit .venv-lock

$(READY):
	@$(SETUP) .venv constraints.txt all,dev $(PYTHON)
	@touch $@

$(READY_OLD):
	@awk -F== 'NR == FNR { pinned[$$1]; print; next } !($$1 in pinned)' constraints-tools.txt constraints.txt > .constraints-old.txt
	@$(SETUP) .venv-old .constraints-old.txt all,dev,rllib,torchrl,tianshou,supersuit,pyg,minari $(PYTHON)
	@touch $@

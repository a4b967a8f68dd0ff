# The README's commands. `make reproduce` and `make test` set up everything they need in .venv.
PYTHON ?= python3
# Your configuration, merged into config.yaml.
CONFIG ?=
# embedded or public (downloads); by default what the configuration says.
DATA ?=
# What to build: all, tables, figures, comparison, report.
TARGET ?= all
# default (this machine) or slurm (docs/cluster.md).
PROFILE ?= default
# The cores of this machine, or of one cluster job; by default what the profile says.
CORES ?=
# More options for Snakemake, such as --dry-run.
OPTIONS ?=

BIN := .venv/bin
SNAKEMAKE := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m reproduction.alone --profile workflow/profiles/$(PROFILE) $(if $(CORES),--cores $(CORES)) $(OPTIONS)

.PHONY: reproduce test test-fast lint docs benchmarks clean

reproduce: .venv/installed $(if $(filter slurm,$(PROFILE)),.venv/slurm)
	@$(BIN)/python -m reproduction.config.check_yaml config.yaml $(if $(CONFIG),"$(CONFIG)")
	@$(SNAKEMAKE) $(if $(CONFIG),--configfile config.yaml "$(CONFIG)") $(if $(DATA),--config data=$(DATA)) -- $(TARGET)

test: .venv/installed
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n 2 --dist worksteal

# Without runs of the pipeline and other slow tests.
test-fast: .venv/installed
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -m "not end_to_end and not slow" --hypothesis-profile=fast -n 2 --dist worksteal

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

# The API reference, from the docstrings of both packages: build/docs/index.html.
docs: .venv/installed
	$(BIN)/pdoc --docformat numpy --output-directory build/docs transitivity reproduction

benchmarks: .venv/installed .venv/arena-rank/installed
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf .venv .snakemake .mypy_cache .import_linter_cache build dist src/transitivity/native/_compiled*

# The stamp is written last, so that an installation cut short starts again. pip does not compile an editable package.
.venv/installed: requirements.lock pyproject.toml setup.py $(wildcard src/transitivity/native/*.c)
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed; set PYTHON=python3.11 (or newer).")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

# In an environment of its own, because it pins other versions.
.venv/arena-rank/installed:
	$(PYTHON) -m venv .venv/arena-rank
	.venv/arena-rank/bin/python -m pip install --quiet --disable-pip-version-check arena-rank==0.1.1
	@touch $@

# Not in the lock, because it makes every start of Snakemake two seconds slower.
.venv/slurm: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check snakemake-executor-plugin-slurm==2.8.0 snakemake-executor-plugin-slurm-jobstep==0.6.1
	@touch $@

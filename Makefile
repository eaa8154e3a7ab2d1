# `make demo` and `make test` set up everything they need; a second call installs nothing.
# The versions of the main environment are those of requirements.lock; `make lock` looks for newer ones.

# For `time`, which other shells lack.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
WITH_LOG := ../$(BIN)/python ../scripts/with_log.py
# The tests of a file share what it took long to make; the longest files come first.
PARALLEL := --dist loadfile --no-loadscope-reorder
# Images of Python turn it off; here it would be compiled anew in each of some hundred processes.
unexport PYTHONDONTWRITEBYTECODE
JS := src/helm_structext/renderers/web/js
# Makes environments; it uses the Pythons that are there, and downloads none.
UV = UV_PYTHON_DOWNLOADS=never $(shell scripts/find-uv $(PYTHON))
# Other harnesses, trainers and clusters, each with its newest release in an environment of its own.
INTEGRATIONS := inspect lm_eval ray trl verifiers verl

.PHONY: setup system tex demo style lint lint-page page report-dev check test test-slurm test-integrations train-example docs lock clean

demo: setup
	mkdir -p $(DEMO)
	cd $(DEMO) && ../$(BIN)/helm-structext init
	@cd $(DEMO) && time -p $(WITH_LOG) helm-run.log ../$(BIN)/helm-run \
		--conf-paths run_specs/demo.conf --suite demo \
		--max-eval-instances 100 --num-threads 2 --exit-on-error
	@cd $(DEMO) && ../$(BIN)/helm-structext summarize demo
	@cd $(DEMO) && ../$(BIN)/helm-structext report demo -o report.html
	@echo
	@echo "To look at every picture: cd $(DEMO) && ../$(BIN)/helm-server --suite demo"
	@echo "and open http://localhost:8000 in a browser; or open $(DEMO)/report.html."

style: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

lint: style lint-page
	$(BIN)/mypy

# Rules and types of the report's page, whose modules `make page` bundles.
lint-page: setup
	$(BIN)/python scripts/page.py lint

page: setup
	$(BIN)/python scripts/page.py bundle

# The report of a small suite, which reloads itself after each change of a source.
report-dev: setup
	$(BIN)/python scripts/page.py dev

# For work in progress: no browser, no TeX, no sandbox, no helm-run, nothing that takes seconds, few
# cases of each test. What needs no engine only computes, so two processes for two cores.
check: TESTS := --numprocesses 2 --quick
check: test-here

# Engines are also waited for, so three processes for two cores. The lines that no test ran lie in the file.
test: TESTS := --numprocesses 3 --durations 20
test: export TESTED_LINES := $(VENV)/tested-lines.txt
test: lint-page test-here

# Types are checked beside the tests, or a core would idle meanwhile; what they say comes last, where it is seen.
test-here: style
	@$(BIN)/mypy > $(VENV)/types.log 2>&1 & types=$$!; \
	$(BIN)/pytest $(PARALLEL) $(TESTS); tests=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types.log; [ $$tests$$types = 00 ]

# On a cluster that is started here: two nodes, without systemd, cgroups or accounting.
test-slurm: setup
	@scripts/install-system-packages debian-packages-slurm.txt
	$(BIN)/pytest --slurm tests/slurm

test-integrations: $(INTEGRATIONS:%=test-integration-%)

test-integration-%: system .venv-integrations/%/installed
	.venv-integrations/$*/bin/pytest --integrations tests/integrations/test_$*.py

# A tiny model learns from a reward; its curves lie in $(DEMO)/training.png.
train-example: system .venv-integrations/trl/installed
	mkdir -p $(DEMO)
	.venv-integrations/trl/bin/python examples/trl_grpo.py \
		--output $(DEMO)/trained --plot $(DEMO)/training.png

# As a user would, with the newest releases; from another folder, where uv finds no settings of ours.
# What pyproject.toml asks for anew is added: up to 8 GB stay where they are.
.venv-integrations/%/installed: .venv-integrations/%/made pyproject.toml
	cd / && $(UV) pip install --quiet --python $(CURDIR)/$(@D)/bin/python \
		--requirement $(CURDIR)/requirements-integrations/$*.in --editable $(CURDIR) pytest selenium
	if grep -q engines requirements-integrations/$*.in; then $(@D)/bin/helm-structext setup; fi
	touch $@

.venv-integrations/%/made: requirements-integrations/%.in
	$(UV) venv --quiet --clear --python $(PYTHON) $(@D)
	touch $@

# Make would remove them as files in between.
.PRECIOUS: .venv-integrations/%/installed .venv-integrations/%/made

# The site opens from disk: site/index.html.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

setup: system $(VENV)/installed

# Other systems than Debian's kin get the list of what is missing once Python is set up.
system:
	@scripts/install-system-packages debian-packages.txt

# Rare packages of TeX, 1.7 GB.
tex: system
	@scripts/install-system-packages debian-packages-tex.txt

$(VENV)/installed: $(VENV)/locked pyproject.toml $(JS)/package-lock.json $(wildcard $(JS)/*.mjs $(JS)/*.jsx $(JS)/ui/*)
	$(UV) pip install --quiet --python $(BIN)/python --editable '.[collect,helm,serve,xlsx]'
	$(BIN)/helm-structext setup
	$(BIN)/helm-structext doctor
	touch $@

$(VENV)/locked: requirements.lock
	@scripts/find-uv $(PYTHON) >/dev/null
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	$(UV) pip sync --quiet --python $(BIN)/python requirements.lock
	touch $@

# What `dev` needs, too; each package with the hashes of its files.
lock:
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		pyproject.toml --extra collect --extra helm --extra serve --extra xlsx --group dev --output-file requirements.lock

clean:
	rm -rf $(VENV) .uv .venv-integrations $(DEMO) site

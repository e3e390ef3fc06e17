# The doors of the house. `make` alone lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_READY := $(VENV)/ready-to-run
DEV_READY := $(VENV)/ready-to-develop
SUPPLY_VENV := $(CURDIR)/$(VENV)/supply
SUPPLY_READY := $(SUPPLY_VENV)/ready
# Without the names of whoever a lock was made at.
LOCK := $(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links

# What one of the project's extras names, a line each.
extra = $(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*project["optional-dependencies"]["$(1)"], sep="\n")'

.DEFAULT_GOAL := help
.PHONY: help run test test-long properties mutations check format bench bench-browser capacity durability soak scale faults kills uploads calls discovery guesses choices typing agreement supply schemathesis gallery messages lock clean

help: ## List what can be made
	@grep -E '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$@ -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-pip.txt

$(RUN_READY): requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

$(DEV_READY): requirements.txt requirements-dev.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@ $(RUN_READY)

$(SUPPLY_READY): tests/campaigns/supply/requirements.txt | $(BIN)/python
	$(BIN)/python -m venv $(SUPPLY_VENV)
	@# Each tool runs once: what it doesn't import need not be compiled.
	$(BIN)/python -m pip --python $(SUPPLY_VENV) install --quiet --disable-pip-version-check --require-hashes --no-compile -r tests/campaigns/supply/requirements.txt
	@touch $@

run: $(RUN_READY) ## Set up and serve the portal with the embedded service
	@exec $(BIN)/python manage.py serve

test: $(DEV_READY) ## Set up and run every test
	$(BIN)/python -m pytest -n auto --dist loadgroup -o faulthandler_timeout=600 $(ARGS)

test-long: $(DEV_READY) ## What takes a minute or more each: kills, soak, the campaign on PostgreSQL
	$(BIN)/python -m pytest -m long $(ARGS)

properties: export EXAMPLES ?= 1000
properties: $(DEV_READY) ## Look for what breaks a property: EXAMPLES=1000 for each
	$(BIN)/python -m pytest -n auto -m "hypothesis and not long" $(ARGS)

mutations: $(DEV_READY) ## Break the code in small ways: how many do the tests find? Lines by package
	@$(BIN)/python -m tests.campaigns.mutations $(ARGS)

check: $(DEV_READY) ## Lint, types, templates, migrations: changes nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy formation_portal
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check --fail-level WARNING

format: $(DEV_READY) ## Put code into the house's form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV_READY) ## Measure: lines of `name value unit`
	@$(BIN)/python -m tests.campaigns.bench
	@$(BIN)/python -m tests.campaigns.bench.outage

bench-browser: $(DEV_READY) ## Measure a form in Chromium beside the floor and react-jsonschema-form, by npm: lines, 1 for a missed goal
	@$(BIN)/python -m tests.campaigns.bench.browser

capacity: $(DEV_READY) ## What an application costs, what is full first, a simulation beside a run: lines of `name value unit`
	@$(BIN)/python -m tests.campaigns.capacity $(ARGS)

durability: $(DEV_READY) ## Kill writers and databases: lines of `name value`
	@$(BIN)/python -m tests.campaigns.durability $(ARGS)

soak: $(DEV_READY) ## Half an hour of faults: what grows, in percent
	@$(BIN)/python -m tests.campaigns.soak $(ARGS)

scale: $(DEV_READY) ## Two nodes behind nginx under load: throughput, kills, outages, an hour. Lines of `name value unit`
	@$(BIN)/python -m tests.campaigns.scale $(ARGS)

faults: $(DEV_READY) ## Put the relay in trouble, with keys and without: lines of `name value`
	@$(BIN)/python -m tests.campaigns.faults $(ARGS)

kills: $(DEV_READY) ## kill -9 of web, worker and service, 100 times each
	@$(BIN)/python -m tests.campaigns.faults --kills 100 $(ARGS)

uploads: $(DEV_READY) ## What each file of the corpus of uploads costs, and a page beside 8 at once: lines of `name value unit`
	@$(BIN)/python -m tests.documents

calls: $(DEV_READY) ## Record the system calls that the sandbox's tasks make (strace): those its filter has not got are marked
	@$(BIN)/python -m tests.documents.system_calls

discovery: $(DEV_READY) ## Does the time of an answer tell who has an account? Medians of 200 tries, 1 over 5 %
	@$(BIN)/python -m tests.accounts.timing $(ARGS)

guesses: $(DEV_READY) ## 1,000 guesses of a password in four ways at running servers: how many reach the hash
	@$(BIN)/python -m tests.accounts.guessing $(ARGS)

choices: $(DEV_READY) ## 1,000 sequences of choices on generated forms, the network in trouble: lines of `name value`
	@$(BIN)/python -m tests.campaigns.choices $(ARGS)

typing: $(DEV_READY) ## 200 runs of fast typing while answers are late: lines of `name value`
	@$(BIN)/python -m tests.campaigns.fast_typing $(ARGS)

agreement: $(DEV_READY) ## 1,000 drafts: is what is needed the same on every page and at the service? Lines of `name value`
	@$(BIN)/python -m tests.campaigns.agreement $(ARGS)

supply: export SUPPLY_PYTHON = $(SUPPLY_VENV)/bin/python
supply: $(DEV_READY) $(SUPPLY_READY) ## SBOM and licences (test-results/), bandit, our own rules: lines of `name value`
	@$(BIN)/python -m tests.campaigns.supply

schemathesis: $(DEV_READY) ## 5,000 generated cases and more on the embedded service, 3 seeds: lines of `name value`, 1 for a finding
	@$(BIN)/python -m tests.service.schemathesis_seeds $(ARGS)

gallery: $(DEV_READY) ## Take the README's pictures anew
	@$(BIN)/python -m tests.journeys.readme_pictures

messages: $(DEV_READY) ## Gather every message, and bring the translations up to date
	$(BIN)/python manage.py update_messages

lock: export CUSTOM_COMPILE_COMMAND = make lock
lock: $(DEV_READY) ## Pin every dependency anew, with hashes
	$(LOCK) --strip-extras --output-file requirements.txt pyproject.toml
	$(LOCK) --strip-extras --extra dev --constraint requirements.txt --output-file requirements-dev.txt pyproject.toml
	@# Programs alone: none of them needs what the portal needs, and some pin what that needs newer.
	$(call extra,install) | $(LOCK) --strip-extras --allow-unsafe --output-file requirements-pip.txt -
	$(call extra,supply) | $(LOCK) --no-strip-extras --output-file tests/campaigns/supply/requirements.txt -

clean: ## Remove what was made, but not your data
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Every verb sets up what it needs by itself: the environment in .venv, the tools in node_modules.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help up demo down test check deploy destroy lock

export PATH := $(CURDIR)/.venv/bin:$(CURDIR)/node_modules/.bin:$(PATH)
export CDK_DISABLE_CLI_TELEMETRY := true
# CDK's Python speaks to Node, and says on every run that version 20 is past its end of life.
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 20

READY := .venv/ready node_modules/ready

help: ## list the verbs
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

up: $(READY) ## start the embedded AWS, deploy to it, say how to call it; safe to run twice
	@python -m local.up

demo: up ## a busy floor on the embedded AWS, audited
	@python -m local.floor

down: .venv/ready ## stop the embedded AWS and forget what was in it
	@python -m local.down

test: $(READY) ## everything, on servers started for the purpose
	pytest -n 2 --dist loadgroup

check: $(READY) ## lint, types, import direction, the template; deploys nothing
	ruff check .
	ruff format --check .
	pyright
	PYTHONPATH=functions lint-imports
	pytest tests/infra

deploy: $(READY) ## deploy to the AWS account of your credentials
	npx --no-install cdk deploy

destroy: $(READY) ## take it down again, but for the table and the user pool
	npx --no-install cdk destroy

lock: .venv/ready ## pin anew what requirements.in and package.json ask for
	uv pip compile $(LOCK) --universal requirements.in --output-file requirements.txt
	uv pip compile $(LOCK) $(NOT_SHIPPED) --constraint requirements.txt functions/requirements.in \
		--output-file functions/requirements.txt
	npm install --package-lock-only

LOCK := --quiet --python-version 3.13 --custom-compile-command "make lock" --no-annotate
# The runtime brings boto3; the others only boto3 needs.
NOT_SHIPPED := $(addprefix --no-emit-package ,boto3 botocore python-dateutil six urllib3)

.venv/ready: requirements.txt
	@python=$$($(FIND_PYTHON)); \
	test -n "$$python" || { echo "Python 3.13 is needed, and neither PATH nor pyenv nor uv has it." >&2; exit 1; }; \
	.venv/bin/python -c '$(IS_3_13)' 2>/dev/null || "$$python" -m venv --clear .venv
	@echo "installing requirements.txt in .venv …"
	@.venv/bin/python -m pip install --quiet "$$(grep '^uv==' requirements.txt)"
	@.venv/bin/uv pip install --quiet --python .venv/bin/python --requirement requirements.txt
	@touch $@

IS_3_13 := import sys; sys.exit(sys.version_info[:2] != (3, 13))
# A pyenv shim is on PATH even where its version is not enabled: only running it tells.
FIND_PYTHON := for python in python3.13 "$$HOME"/.pyenv/versions/3.13*/bin/python "$$(uv python find 3.13 2>/dev/null)"; \
	do "$$python" -c '$(IS_3_13)' 2>/dev/null && { echo "$$python"; break; }; done || true

node_modules/ready: package-lock.json
	@echo "installing package-lock.json in node_modules …"
	@npm ci --silent
	@touch $@

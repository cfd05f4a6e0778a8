# Visite: every command a person needs. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup setup-test build generate demo test check lint bench record conformance clean
SHELL := bash

export PATH := $(CURDIR)/.tools/bin:$(PATH):/usr/local/go/bin:$(HOME)/go/bin
GO ?= go
PKG ?= ./...
TIMEOUT ?= 30m
PARALLEL ?= 2
# Tests of the whole at once; most of them wait for somebody. They run by themselves, as they look at the clock.
TESTS ?= 3

setup_script := deployments/setup/setup.sh
tool := deployments/setup/tool.sh
version := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# Prints what go test prints, and keeps the results for `make conformance` and the next build.
failures := test-failures.txt
record := $(GO) run ./internal/conformance/record -version "$(version)"

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | while IFS=$$'\t' read -r name words; do printf '  make %-12s %s\n' "$$name" "$$words"; done

setup: ## install what is missing: Chromium, PostgreSQL, Temporal CLI, page scripts
	@$(setup_script) run

setup-test:
	@$(setup_script) test

build: setup ## leave the program at bin/visite
	@mkdir -p bin
	@$(GO) run ./cmd/visite/notices/collect
	@$(GO) run ./internal/conformance/print -carry -version "$(version)"
	$(GO) build -trimpath -ldflags '-X main.version=$(version)' -o bin/visite ./cmd/visite

demo: build ## scan a bundled site of about 12 pages and write its report to demo-report/
	@bin/visite demo --output demo-report

generate: setup ## make the page-script bundle, api/openapi.yaml and the API clients anew
	$(GO) generate ./...

test: setup-test ## all tests with the race detector
	@set -o pipefail; failed=; rm -f $(failures); \
	$(GO) test -json -race -timeout $(TIMEOUT) -p $(PARALLEL) $(filter-out %/internal/endtoend,$(shell $(GO) list $(PKG))) | $(record) -failures $(failures) || failed=yes; \
	$(GO) test -json -race -timeout $(TIMEOUT) -parallel $(TESTS) ./internal/endtoend | $(record) -add -failures $(failures) || failed=yes; \
	[ -z "$$failed" ] || deployments/setup/second-look.sh $(failures) "$(version)" $(TIMEOUT)

check: setup-test lint openapi-drift test ## what has to hold before a change goes in

lint: setup ## gofmt, vet, staticcheck, workflowcheck, govulncheck
	@deployments/setup/lint.sh

.PHONY: openapi-drift
openapi-drift:
	@deployments/setup/openapi-drift.sh

bench: setup-test ## ratios against bare loops, in one run on loopback
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout $(TIMEOUT) ./internal/endtoend
	$(GO) test -run '^$$' -bench . -benchtime 20x -timeout $(TIMEOUT) ./internal/browser
	$(GO) test -run '^$$' -bench . ./internal/courtesy/... ./internal/inspect

.PHONY: act
act: setup-test ## scan the W3C's ACT test cases in ACT_DIR: caught and wrong by rule; RULES=id,id for some
	@ACT=all ACT_DIR='$(ACT_DIR)' RULES='$(RULES)' ACT_FINDINGS='$(ACT_FINDINGS)' $(GO) test -count=1 -v -run '^TestACT$$' -timeout 60m ./internal/endtoend

record: setup ## record the workflow histories of a new version: make record VERSION=2
	$(GO) run ./workflows/record -version "$(VERSION)"

conformance: ## each row of the courtesy contract with the tests that prove it and their last results
	@$(GO) run ./internal/conformance/print -version "$(version)" $(if $(RESULTS),-results $(RESULTS))

clean: ## remove what the targets above made, except installed packages
	rm -rf bin .tools demo-report test-results.json $(failures) internal/conformance/results/last.json internal/browser/scripts/node_modules
	find internal/browser/scripts/dist -type f ! -name .keep -delete

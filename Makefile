# `make` prints what there is. Every target installs what it needs, and only if it is missing.

SWIFT ?= swift
SOURCES = Package.swift Sources Tests Benchmarks

.PHONY: help deps build run test lint fmt bench clean

help:
	@echo "make run     build gamed and start it in the foreground (ctrl-c stops it)"
	@echo "make test    build and run every test, as CI does"
	@echo "make build   build everything, optimized"
	@echo "make bench   measure against the named peers, as ratios; writes .build/bench.json"
	@echo "make lint    check the formatting, strictly"
	@echo "make fmt     mend the formatting"
	@echo "make deps    install the libraries that the build needs, if they are missing"
	@echo "make clean   remove what was built"

deps:
	@command -v $(SWIFT) >/dev/null || { echo "There is no Swift here: install the toolchain (6.3) from swift.org and put it on PATH." >&2; exit 1; }
	@scripts/need libevent-dev pkg-config

build: deps
	$(SWIFT) build -c release

run: deps
	$(SWIFT) build -c release --product gamed
	@exec .build/release/gamed $(ARGS)

test: deps lint
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest

lint:
	$(SWIFT) format lint --strict --recursive $(SOURCES)

fmt:
	$(SWIFT) format --in-place --recursive $(SOURCES)

bench: deps
	$(SWIFT) build -c release --product gamed-bench
	.build/release/gamed-bench --json .build/bench.json

clean:
	rm -rf .build

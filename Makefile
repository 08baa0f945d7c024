# `make` prints what there is. Every target installs what it needs, and only if it is missing.

SWIFT ?= swift
export SWIFT
# Of debug builds.
DEBUG_SWIFT = "$(CURDIR)/scripts/swift"
# An event passes through six modules: what it calls in the next one is compiled into the last, where that is worth it.
# (docs/PERFORMANCE.md)
RELEASE = $(SWIFT) build -c release -Xswiftc -cross-module-optimization --static-swift-stdlib
EXAMPLES = Lamp EscapeRoom Navigator
SOURCES = Package.swift Sources Tests Fuzzing Benchmarks \
  $(foreach package,Support $(EXAMPLES),$(wildcard $(addprefix Examples/$(package)/,Package.swift Sources Tests)))

SCENARIOS = $(wildcard Examples/Scenarios/*.scenario Examples/Flows/*.scenario Examples/Flows/*/*.scenario)

# What programs of others depend on, every declaration with its comment. BuiltInFlows is a product besides: flows to play with and to read.
LIBRARIES = Timers GameFlow GameDaemon GamedClient

FUZZERS = requests replies captures json expressions charts daemon
# How long `make fuzz` takes with each of them.
SECONDS ?= 600

# How often `make soak` kills the daemon, and how often it damages its files.
ROUNDS ?= 200
DAMAGES ?= 2000
# How many random charts it compares with the algorithm of SCXML.
CHARTS ?= 10000
# Nodes, shards and seconds of the cluster that it simulates, an hour of failures, which takes about a minute; and how many small clusters, of which
# each has ten minutes: what is rare is sooner found there.
CLUSTER ?= 100 10000 3600
CLUSTERS ?= 3000

.PHONY: help deps deps-test deps-fuzz build run test quick test-cluster soak soak-cluster sanitize scenarios count test-example test-guides test-products test-products-all fuzz lint fmt bench docs man programs install deb lint-deb dist test-package picture pictures screenshots clean

help:
	@echo "make run        build gamed and start it, with a game to play (ctrl-c stops it)"
	@echo "make test       build and run every test, as CI does"
	@echo "make quick      build, lint, and run the tests of changes since the last commit"
	@echo "make soak       kill the daemon under load 200 times, damage its files 2000 times, and check for lost data;"
	@echo "                run 10000 random charts beside SCXML's algorithm; ROUNDS=1000 DAMAGES=10000 CHARTS=100000 is longer;"
	@echo "                simulate an hour of failures of a cluster of 100 nodes, and 10 minutes of 3000 small ones;"
	@echo "                check that a database keeps all guarantees of a data directory;"
	@echo "                build programs that depend on one library each, optimized; test the page in browsers that lack features;"
	@echo "                send an optimized daemon requests that delay others, with at most 20 ms each"
	@echo "make test-cluster kill and freeze nodes and their database for some 50 seconds, and check for lost data; it is a part of make test,"
	@echo "                and make soak-cluster does 200 rounds (ROUNDS=1000 is more)"
	@echo "make sanitize   run every test with the compiler's memory checks"
	@echo "make fuzz       feed the parsers and the daemon malformed input, ten minutes each; make fuzz SECONDS=60 is shorter"
	@echo "make build      build everything, optimized"
	@echo "make programs   build gamed and gamectl, optimized; then, as root:"
	@echo "make install    install them with manual, completions, units and examples; PREFIX=/usr/local DESTDIR="
	@echo "make deb        make the Debian package .build/dist/gamed_VERSION_ARCH.deb; make lint-deb: and check it with lintian"
	@echo "make dist       make a release in .build/dist: tarball, package, checksums"
	@echo "make test-package install the package in a fresh Debian, and use, upgrade, remove and purge it there;"
	@echo "                PREVIOUS=FILE upgrades that package of an earlier release, too"
	@echo "make scenarios  run the flows' scenarios, Examples/Scenarios and Examples/Flows, in virtual time"
	@echo "make bench      measure against the named peers, as ratios; writes .build/bench.json"
	@echo "make count      count instructions, allocations and bytes of fixed work, and fail if a figure is more than 2 % worse than recorded;"
	@echo "                make count WRITE=1 writes the record, Tests/Count/figures.json"
	@echo "make lint       check formatting, dependencies of modules and folders, documentation of the libraries, and vocabulary"
	@echo "make fmt        format the code"
	@echo "make docs       build the libraries' documentation into .build/docs"
	@echo "make man        write the manual's pages into .build/man (man -l .build/man/gamed.8)"
	@echo "make picture    draw the modules and their arrows into docs/MODULES.md"
	@echo "make pictures   draw the pictures of README and the guides: a running session, and flows"
	@echo "make screenshots take pictures of the page's views for README and the guides, in a browser"
	@echo "make deps       install the libraries that the build needs, if they are missing"
	@echo "make clean      remove build products"

deps:
	@command -v $(SWIFT) >/dev/null || { echo "Swift is missing: install the toolchain (6.3) from swift.org and put it on PATH." >&2; exit 1; }
	@scripts/need libevent-dev libssl-dev libsqlite3-dev libedit-dev liblua5.4-dev libpq-dev pkg-config

# Clients that other people wrote: what the tests talk to the daemon with, and look into its files with. The stamp says which.
CLIENTS = .build/clients/redis-8-schemathesis-4

deps-test: $(CLIENTS) .build/tools/ready
	@scripts/need systemd redis-tools netcat-openbsd sqlite3 postgresql-15 tshark groff-base nodejs node-redis chromium-headless-shell openssl curl

$(CLIENTS):
	@scripts/need python3-venv
	python3 -m venv .build/clients
	.build/clients/bin/python -m pip install --quiet --disable-pip-version-check 'redis==8.*' 'schemathesis==4.*'
	touch $@

# Prometheus' judge of what is written for it: one program out of the package, without its services. Tests say so where it is missing.
.build/tools/ready:
	@mkdir -p .build/tools
	@command -v promtool >/dev/null || scripts/need-promtool .build/tools
	@if command -v promtool >/dev/null || [ -x .build/tools/promtool ]; then touch $@; fi

build: deps
	$(RELEASE)

# Without the settings in /etc/gamed, which are those of an installed service; ARGS="--config FILE" reads others.
run:
	@echo "Step 1 of 3: install missing packages (about a minute the first time)"
	@$(MAKE) --no-print-directory deps
	@echo "Step 2 of 3: build gamed and gamectl (4 to 8 minutes the first time, then seconds)"
	@$(MAKE) --no-print-directory programs
	@echo "Step 3 of 3: start gamed; ctrl-c stops it"
	@GAMED_CONFIG=$${GAMED_CONFIG:-none} exec .build/release/gamed --session main=game --accounts Examples/accounts.json $(ARGS)

test: deps deps-test
	@SCENARIOS="$(SCENARIOS)" scripts/test

quick: deps deps-test
	@scripts/test --quick

# Three nodes and a PostgreSQL under load, while everything fails around them. It prints the seed of what it does; GAMED_SEED=n does the same
# again, as far as the machine allows.
test-cluster: deps deps-test
	$(DEBUG_SWIFT) build --product gamed
	python3 Tests/Cluster/trial.py .build/debug/gamed --seconds 35 --seed $(or $(GAMED_SEED),1)

soak-cluster: deps deps-test
	$(DEBUG_SWIFT) build --product gamed
	python3 Tests/Cluster/trial.py .build/debug/gamed --rounds $(ROUNDS)

# Prints the seed of what it does; GAMED_SEED=n make soak does the same again, as far as the machine allows.
soak: deps deps-test test-products-all
	$(DEBUG_SWIFT) build --build-tests
	$(RELEASE) --product gamed
	$(RELEASE) --product cluster-sim
	.build/release/cluster-sim $(CLUSTER) $${GAMED_SEED:-0}
	.build/release/cluster-sim 3 16 600 $${GAMED_SEED:-0} $(CLUSTERS)
	.build/release/cluster-sim 4 40 0 $${GAMED_SEED:-0} $(CLUSTERS)
	$(RELEASE) --product loop-probe
	GAMED_CONFIG=none .build/clients/bin/python Tests/Web/waits.py .build/release/gamed
	GAMED_ROUNDS=$(ROUNDS) scripts/run-tests --filter 'A daemon killed under load'
	python3 Tests/Disk/full.py .build/release/gamed --rounds $(ROUNDS) --seed $${GAMED_SEED:-7}
	GAMED_DAMAGES=$(DAMAGES) scripts/run-tests --filter 'Random damage'
	GAMED_BOTH_STORES=1 scripts/run-tests --filter JournalTests
	GAMED_CHARTS=$(CHARTS) scripts/run-tests --filter 'The engine and the oracle'
	GAMED_CONFIG=none .build/clients/bin/python Tests/Page/care.py .build/debug/gamed

# What is tested for how long it takes may fail here: everything takes longer. The checks of threads would be in vain: they do not
# see the standard library's Mutex, and take what it protects for a race.
sanitize: deps deps-test
	GAMED_HTTP=none GAMED_CONFIG=none ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no $(SWIFT) test --sanitize=address --scratch-path .build/sanitize \
	  --disable-xctest

scenarios: deps
	$(RELEASE) --product gamectl
	.build/release/gamectl test $(SCENARIOS)

# Packages as somebody else would write them, which depend on this one. Their builds go on from that of the tests: a module is built once.
test-example: deps deps-test
	$(DEBUG_SWIFT) build --build-tests
	@for package in $(EXAMPLES); do \
	  (cd Examples/$$package && $(DEBUG_SWIFT) test --scratch-path ../../.build) || exit 1; done
	.build/clients/bin/python Examples/RedisTimer/test.py

# What the guides tell people to type.
test-guides: deps deps-test
	scripts/test-guides

# Programs that depend on one product each.
test-products: deps
	@scripts/test-products

test-products-all: deps
	@scripts/test-products --all

# libFuzzer comes with the toolchain; the C++ library that it is linked to does not.
deps-fuzz: deps
	@scripts/need libstdc++-12-dev

fuzz: deps-fuzz
	@for target in $(FUZZERS); do scripts/fuzz $$target $(SECONDS)s || exit 1; done

lint:
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	@! grep -rn "^import Foundation" Sources || { echo "Foundation takes 8 MB of every daemon and most of gamectl's start; there is a way without it."; exit 1; }
	@! grep -rnE "^ *import (Glibc|Musl|Darwin)" Sources/Timers Sources/GameFlow Sources/GamedClient | grep -v "/Platform.swift:" \
	  || { echo "The libraries for apps call the system in their Platform.swift alone."; exit 1; }
	@! grep -rln "^import Testing" Sources Benchmarks $(filter-out %Tests,$(wildcard Tests/*)) \
	  || { echo "Optimized programs are built of these directories, and have no Testing: throw an error instead of #require."; exit 1; }
	@command -v python3 >/dev/null || scripts/need python3
	@scripts/arrows --check
	@scripts/documented $(LIBRARIES)
	@scripts/homes
	@scripts/error-texts
	@scripts/words

fmt:
	$(SWIFT) format --in-place --recursive $(SOURCES)

# make bench ONLY="wire journal" measures only those; ONLY=page what the page costs a browser.
bench: deps
	@scripts/need redis-server redis-tools nginx-light chromium-headless-shell openssl postgresql-15 iproute2 python3
	$(RELEASE) --product gamed
	$(RELEASE) --product gamed-bench
	$(if $(filter-out page,$(or $(ONLY),all)),.build/release/gamed-bench --json .build/bench.json $(filter-out page,$(ONLY)))
	$(if $(filter page,$(or $(ONLY),page)),python3 Tests/Page/speed.py .build/release/gamed .build/page-bench.json)

# The same on a busy machine as on a quiet one, so CI judges by it. WRITE=1 writes the record.
count: deps
	@scripts/need valgrind binutils python3
	$(RELEASE) --product gamed
	python3 Tests/Count/judging.py
	python3 Tests/Count/count.py .build/release/gamed --swift "$(SWIFT)" $(if $(WRITE),--write)

docs: deps
	mkdir -p .build/docs $(LIBRARIES:%=.build/for-docs/symbols/%)
	$(SWIFT) build --scratch-path .build/for-docs --target GameDaemon -Xswiftc -emit-symbol-graph \
	  -Xswiftc -emit-symbol-graph-dir -Xswiftc .build/for-docs/symbols
	@for library in $(LIBRARIES); do \
	  cp .build/for-docs/symbols/$$library*.symbols.json .build/for-docs/symbols/$$library/ || exit 1; \
	  catalog=; [ ! -d Sources/$$library/$$library.docc ] || catalog=Sources/$$library/$$library.docc; \
	  docc convert $$catalog --additional-symbol-graph-dir .build/for-docs/symbols/$$library --output-dir .build/docs/$$library \
	    --fallback-display-name $$library --fallback-bundle-identifier gamed.$$library --warnings-as-errors || exit 1; done
	@echo "the documentation is in .build/docs"

man: programs
	@mkdir -p .build/man
	.build/release/gamed --manual gamed > .build/man/gamed.8
	.build/release/gamed --manual gamed-commands > .build/man/gamed-commands.7
	.build/release/gamed --manual gamed-flow > .build/man/gamed-flow.5
	.build/release/gamectl manual > .build/man/gamectl.1

programs: deps
	$(RELEASE) --product gamed
	$(RELEASE) --product gamectl

# What was built before, so that root builds nothing.
PREFIX ?= /usr/local
install:
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install

deb: deps
	@scripts/need debhelper python3
	@scripts/deb

lint-deb: deb
	@scripts/need lintian
	lintian --fail-on error,warning .build/dist/gamed_$$(scripts/version)_*.deb

dist: deps
	@scripts/need debhelper python3
	@scripts/dist

# In a Debian of its own, which systemd-nspawn boots where it can; root is needed for that.
test-package: lint-deb deps-test
	@scripts/need mmdebstrap systemd-container zsh fish bash-completion
	python3 Tests/Package/test.py $(if $(PREVIOUS),--previous $(PREVIOUS))

picture:
	@command -v python3 >/dev/null || scripts/need python3
	@scripts/arrows

# What is drawn is what these programs say: a session of gamed, watched by gamectl, and the diagram that DIAGRAM makes.
pictures: deps
	@command -v python3 >/dev/null || scripts/need python3
	$(RELEASE) --product gamed
	$(RELEASE) --product gamectl
	scripts/pictures .build/release docs/pictures

# What is looked at is the page of a real daemon, in a real browser.
screenshots: deps
	@command -v python3 >/dev/null || scripts/need python3
	@scripts/need chromium-headless-shell pngquant fonts-noto-core
	$(RELEASE) --product gamed
	python3 Tests/Page/screenshots.py .build/release/gamed docs/pictures/page

clean:
	rm -rf .build

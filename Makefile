# make run    build the command and serve on 127.0.0.1:8080
# make test   what can be tested without a network in a minute or two
# make help   the rest

GO ?= go
TOOL = $(GO) tool -modfile=$(CURDIR)/lab/tools/go.mod
FUZZTIME ?= 30s
SOAK ?= 10m
CROSS = linux/amd64 linux/arm64 linux/386 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 windows/386
WASM = . ./engine ./engine/address ./lists ./server/client

# The race detector needs cgo, and cgo a C compiler. The go command turns cgo off where it finds none.
CC_FOUND = $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),$(shell command -v $(firstword $(shell $(GO) env CC))))

.PHONY: run build test test-long test-all race man lint contract apidiff crossbuild e2e browser crash fleet large fuzz bench bench-go lab-test accuracy soak simulate mutate vulncheck lists licences release release-twice package-test chart-test help

run: build ## build and serve
	./bin/rcpt serve

build: ## build bin/rcpt
	CGO_ENABLED=0 $(GO) build -buildvcs=auto -trimpath -o bin/rcpt ./cmd/rcpt

# Many tests wait for a clock or for another process: two packages, and two tests
# of each, for each processor keep it busy.
AT_ONCE := $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))

# The packages of lab whose tests are quick and bind no port.
# They are not cached: go test does not see that files outside of their module have changed.
LAB_QUICK = client|image|lists|mutate|promise

test: ## go vet and the tests, but for those that take long
	$(GO) vet ./...
	$(GO) test -short -p $(AT_ONCE) -parallel $(AT_ONCE) -timeout 10m ./...
	cd lab && $(GO) test -short -count=1 $$($(GO) list ./... | grep -E '/lab/($(LAB_QUICK))(/|$$)')

test-long: ## the tests that "make test" leaves out or shortens: the commands of the documents and clusters of servers
	GO="$(GO)" .ci/long

test-all: test test-long ## every test

# The race detector of Go 1.26 crashes when two timers of a synctest bubble run
# at once (golang.org/issue/78156): Go 1.27 is fetched for it. Where that cannot
# be had, the Go that is there is used.
RACE_GO = $(if $(filter go1.26%,$(shell $(GO) env GOVERSION)),$(shell GOTOOLCHAIN=go1.27.3 $(GO) env GOVERSION 2>/dev/null))

# GORACE: a program under the race detector would sleep for a second as it ends, and the tests start many.
# -short: the tests that take long start commands, which are slow with the detector.
# What others wrote and takes most of the time is built without the detector: SQLite, which is C translated to Go, argon2 and compression. It still sees
# all that this module does with them. A package that uses sync.Map must not be among them: the linker may take its copy of the map's code for all, and
# the detector then sees no order between those that use a map, not even in encoding/json.
RACE_NOT = $(foreach path,modernc.org/libc modernc.org/sqlite/lib golang.org/x/crypto/argon2 golang.org/x/crypto/blake2b compress/flate github.com/klauspost/compress/...,-gcflags=$(path)=-race=false)

# Tests of much work in one goroutine, in which there is no race to find, or in programs of others: make test has them.
RACE_SKIP = -skip '^(TestCostlyRows|TestGuessedEncoding|TestSimulation|TestSums|TestSameTrace|TestFalsePlans|TestShrink|TestFeed|TestFeedSums|TestFormBesideAList|TestWorlds|TestStopsAtEachStep|TestMillions|TestForgetInFiles|TestForgetDrafts|TestFlippedBits|TestSignUpOfTheDocs)$$'

race: ## the tests of "make test" that may find races, with the race detector (needs a C compiler)
	$(if $(CC_FOUND),$(RACE_GO:%=GOTOOLCHAIN=%) GORACE=atexit_sleep_ms=0 $(GO) test -race $(RACE_NOT) $(RACE_SKIP) -short -timeout 20m ./...,@echo "There is no C compiler for cgo: the race detector is left out.")

man: build ## bin/rcpt.1, the man page
	./bin/rcpt man >bin/rcpt.1

lint: ## formatting, width of lines, go vet and staticcheck, of the module lab, too
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run gofmt on: $$unformatted"; exit 1; }
	@git ls-files '*.go' | grep -v '/testdata/' | xargs .ci/columns
	$(TOOL) staticcheck ./...
	cd lab && $(GO) vet -tags e2e,browser ./... && $(TOOL) staticcheck -tags e2e,browser ./...

contract: ## clients made from the contract of the HTTP interface (Go, npm)
	lab/contract/check.sh

apidiff: ## what changed in what is stable since the last tag
	GO="$(GO)" .ci/apidiff

crossbuild: ## build for other systems, and for WebAssembly what runs there
	@set -e; for target in $(CROSS); do \
		echo "== $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build ./...; \
	done; for system in js wasip1; do \
		echo "== $$system/wasm"; \
		GOOS=$$system GOARCH=wasm $(GO) build $(WASM); \
	done

e2e: ## real mail and DNS servers (Debian, root)
	cd lab && $(GO) test -tags e2e -count=1 -timeout 10m -v ./e2e

browser: ## the dashboard and the API page in a browser (Chromium)
	cd lab && $(GO) test -tags browser -count=1 -timeout 15m ./browser

crash: ## runs and servers that are killed up to twenty times, power cuts (root), slow syncs (strace): nothing settled is lost or asked about again
	TEST_CRASH=large $(GO) test -run 'TestKill$$' -count=1 -timeout 20m -v ./internal/service/store
	TEST_CRASH=large $(GO) test -run 'TestBulkKilled|TestJobKilled|TestPowerCut|TestSlowSync' -count=1 -timeout 20m -v ./cmd/rcpt

fleet: ## three servers on PostgreSQL share a list; one is killed, one stands still, one is cut off, the database is restarted: prints what each did. Thousands of storms over lists on both engines: none stands still
	TEST_FLEET=large $(GO) test -run 'TestFleet|TestSmallBesideLarge' -count=1 -timeout 30m -v ./cmd/rcpt
	TEST_STORM=2000 $(GO) test -run 'TestStorm' -count=1 -timeout 60m ./internal/service/jobs

large: ## a list of 1,000,000 rows with fake mail hosts beside package bulk in memory, and one of 10,000,000 without hosts: time, memory, disk
	TEST_LARGE=1000000 $(GO) test -run 'TestLarge$$' -count=1 -timeout 30m -v ./internal/service/jobs
	TEST_LARGE=10000000 TEST_LARGE_WORLD=none $(GO) test -run 'TestLarge$$' -count=1 -timeout 60m -v ./internal/service/jobs

fuzz: ## every fuzzer for FUZZTIME each
	@set -e; for pkg in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$f"; \
			$(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg; \
		done; \
	done

bench: build ## rcpt beside other verifiers in a simulated world: half an hour, see lab/bench/README.md
	cd lab/bench && $(GO) run . run --rcpt ../../bin/rcpt

bench-go: ## the benchmarks of the packages, with allocations
	$(GO) test -run '^$$' -bench . -benchmem ./...

SIMULATE = 10000000
simulate: ## the plan of the probe pool in ten million events of random worlds, with new seeds; SIMULATE=1@SEED for one of them. And that of the service's lists in 2000 worlds
	TEST_SIMULATION=$(SIMULATE) $(GO) test -run 'TestSimulation$$' -count=1 -timeout 60m -v ./smtpprobe/internal/schedule
	TEST_WORLDS=2000 TEST_SEED=$${TEST_SEED:-$$(date +%s)} $(GO) test -run 'TestWorlds$$' -count=1 -timeout 60m -v ./internal/service/jobs/schedule

mutate: ## 300 changes of the rules of the probe pool, one at a time: which tests notice. It takes half an hour
	cd lab && $(GO) run ./mutate

lab-test: ## the tests of the module lab that "make test" leaves out: bench, spreadsheets in other programs (they listen on port 25 of loopback)
	cd lab && $(GO) test -timeout 10m $$($(GO) list ./... | grep -vE '/lab/($(LAB_QUICK))(/|$$)')

accuracy: build ## labelled situations and replies, with rcpt and its peers: writes the tables of the README (listens on port 25 of loopback)
	cd lab/bench && $(GO) run . accuracy --rcpt ../../bin/rcpt --readme ../../README.md

soak: build ## rcpt among hostile mail hosts for SOAK: fails on growth, on what is stuck and on what is untrue
	$(GO) build -C lab -o ../bin/bench ./bench && bin/bench soak --rcpt bin/rcpt --for $(SOAK)

vulncheck: ## known vulnerabilities in what is used (needs https://vuln.go.dev)
	$(TOOL) govulncheck ./...

lists: ## make the embedded lists anew from their sources (needs npm)
	$(GO) generate ./lists

licences: ## collect the licence texts of everything in the binary, after a dependency was added
	$(GO) generate ./cmd/rcpt/internal/licences

release: ## bin/release: archives, packages, checksums, signatures of the tag at HEAD; SNAPSHOT=1: of any commit
	@GO="$(GO)" SNAPSHOT="$(SNAPSHOT)" deploy/release/build

release-twice: ## two snapshots of HEAD have the same octets
	@GO="$(GO)" deploy/release/twice

package-test: ## what is in the packages of bin/release (made if there is none); install, run, remove them (Debian, root)
	@[ -d bin/release ] || $(MAKE) release SNAPSHOT=1
	deploy/release/package-test

chart-test: ## the Helm chart, rendered and decoded strictly into the types of Kubernetes
	cd lab/chart && $(GO) vet ./... && $(GO) test -count=1 ./...

help: ## this list
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

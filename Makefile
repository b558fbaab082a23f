# eds: everything is built, run and tested from here. `make help` lists the targets.

MODE ?= release
comma := ,
ifeq ($(MODE),release)
BUILD ?= build
else
BUILD ?= build/$(MODE)
endif
VECTORS ?= ../shared/vectors

# Compiler and flags. Hardening flags that this compiler does not know are left out.
CC_fuzz := clang
CC := $(or $(CC_$(MODE)),$(if $(filter default,$(origin CC)),gcc,$(CC)))
probe = $(shell echo 'int main(void){return 0;}' | $(CC) -Werror $(1) -x c - -o /dev/null 2>/dev/null && echo '$(1)')

WARNINGS := -Wall -Wextra -Wshadow -Wconversion
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $(call probe,-fstack-protector-strong) \
	$(call probe,-fstack-clash-protection) $(call probe,-fcf-protection=full) \
	$(call probe,-ftrivial-auto-var-init=zero)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

CFLAGS_release := -O2 $(HARDENING)
CFLAGS_asan := -O1 $(SANITIZE) -DRT_ARENA_MALLOC
CFLAGS_fuzz := -O1 $(SANITIZE) -fsanitize=fuzzer-no-link -DRT_ARENA_MALLOC
# Executed lines are counted in memory that all processes of a program share (tests/support/counts.c).
CFLAGS_cover := -O0 --coverage -fprofile-update=atomic -fdata-sections
CFLAGS_valgrind := -O0 -DRT_ARENA_MALLOC
# A newer compiler may give more warnings: a build prints them, and only `make check` fails because of them.
CFLAGS_check := $(CFLAGS_release) -Werror
LDFLAGS_release := -Wl,-z,relro,-z,now,-z,noexecstack
LDFLAGS_asan := $(SANITIZE)
LDFLAGS_fuzz := $(SANITIZE)
COUNTS := -fPIE -x c tests/support/counts.c -x none -Wl,-T,tests/support/counts.ld \
	$(addprefix -Wl$(comma)-u$(comma),__gcov_init __gcov_exit __gcov_merge_add) -lgcov
LDFLAGS_cover := $(COUNTS)

CFLAGS += -std=c11 -D_GNU_SOURCE -g -fPIE -I. $(WARNINGS) $(CFLAGS_$(MODE)) -MMD -MP
LDFLAGS += -pie -Wl,--as-needed $(LDFLAGS_$(MODE))

# The libraries of all programs; a program gets only those that it uses (--as-needed;
# unused archive members stay out).
LIBS := -ljansson -lsqlite3 -lcares -lcurl -lssl -lidn2 -lopendkim -lcrypto -lspf2 -l:libmd.a -l:libnettle.a
REPORT_LIBS := -larchive -lexpat $(shell pkg-config --libs gmime-3.0)
GMIME_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags gmime-3.0))
RUNNER_LIBS := -levent_openssl -levent_core -lhttp_parser -lssl -lcrypto -lz -ljansson -l:libmd.a
-include Makefile.local

# Sources. The main file of a function is the one whose folder and name form the function's name in the manifest.
FUNCTIONS := $(shell sed -n 's/^    "\([a-z0-9-]*\)": {$$/\1/p' functions/manifest.json)
FUNCTION_SOURCES := $(wildcard functions/*/*.c)
function_name = $(subst /,-,$(patsubst functions/%.c,%,$(patsubst functions/admin/admin.c,functions/admin.c,$(1))))
MAINS := $(foreach s,$(FUNCTION_SOURCES),$(if $(filter $(call function_name,$(s)),$(FUNCTIONS)),$(s)))
LIB_SOURCES := $(filter-out runtime/host/% runtime/adapter/%,$(wildcard runtime/*.c runtime/*/*.c)) \
	$(wildcard functions/lib/*.c functions/lib/*/*.c functions/lib/*/*/*.c) \
	$(filter-out $(MAINS),$(FUNCTION_SOURCES) $(filter-out functions/lib/%,$(wildcard functions/*/*/*.c)))
LIB_SOURCES := $(filter-out %/verifier-main.c %/reader-main.c %/validator-main.c,$(LIB_SOURCES))
HOST_SOURCES := $(wildcard runtime/host/*.c runtime/host/*/*.c)
RUNNER_SOURCES := $(filter-out local/eds/%,$(wildcard local/*.c local/*/*.c))
RUNNER_LIB_SOURCES := $(filter-out local/main.c,$(RUNNER_SOURCES))
COMMAND_SOURCES := $(wildcard local/eds/*.c)
UNIT_SOURCES := $(wildcard tests/unit/test_*.c)

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB := $(BUILD)/libeds.a
HOST_LIB := $(BUILD)/libhost.a
RUNNER_LIB := $(BUILD)/librunner.a
COMMAND_LIB := $(BUILD)/libcommand.a
VERIFIER := $(BUILD)/libexec/eds-verifier
REPORT_READER := $(BUILD)/libexec/eds-report-reader
VALIDATOR := $(BUILD)/libexec/eds-validator
HOSTILE_VERIFIER := $(BUILD)/tests/support/hostile-verifier
HOSTILE_READER := $(BUILD)/tests/support/hostile-reader
BUILT := $(foreach s,$(MAINS),$(BUILD)/functions/$(call function_name,$(s)))
TEST_LIB := $(BUILD)/libtest.a
VERDICT := $(BUILD)/tests/conformance/verdict
CONFORMANCE := $(filter-out $(VERDICT),$(patsubst %.c,$(BUILD)/%,$(wildcard tests/conformance/*.c)))
UNITS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(UNIT_SOURCES))

# Compiling uses every processor.
JOBS := -j$(shell nproc)

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: unit-names build help functions runner command bootstrap unit conformance clean

build: functions runner command bootstrap ## compile everything into build/
functions: $(BUILT) $(VERIFIER) $(REPORT_READER) $(VALIDATOR) $(BUILD)/functions/manifest.json
runner: $(BUILD)/runner
command: $(BUILD)/eds
bootstrap: $(BUILD)/bootstrap

# Links under a temporary name and renames, so that nobody starts a half-written program.
link = @mkdir -p $(@D) && $(CC) $(LDFLAGS) $(MAP) -o $@.new$$$$ $(1) && mv $@.new$$$$ $@
# Links a static program. Unless linking fails, it hides glibc's warnings about functions that come with libevent and
# libcrypto and that our programs never call. The linker's --no-warnings would hide errors, too (binutils 2.44).
static_link = @mkdir -p $(@D) && { $(CC) $(LDFLAGS) $(MAP) -o $@.new$$$$ $(1) 2>$@.said$$$$ || { cat $@.said$$$$ >&2; rm $@.said$$$$; false; }; } && \
	rm $@.said$$$$ && mv $@.new$$$$ $@

# The linker's maps list the foreign libraries in the installed programs, for the notices (infra/deb).
INSTALLED_PROGRAMS := $(BUILT) $(VERIFIER) $(REPORT_READER) $(VALIDATOR) $(addprefix $(BUILD)/,runner eds bootstrap)
$(INSTALLED_PROGRAMS): private MAP = -Wl,-Map=$(BUILD)/map/$(@F).map
$(INSTALLED_PROGRAMS): | $(BUILD)/map
# programs that were linked before their map was kept
.PHONY: $(foreach p,$(INSTALLED_PROGRAMS),$(if $(wildcard $(BUILD)/map/$(notdir $(p)).map),,$(p)))
$(BUILD)/map:
	@mkdir -p $@

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	@echo "CC $<"
	@$(CC) $(CFLAGS) -c -o $@ $<

# The schema's steps as a table of statements. The folder is a prerequisite too, because a file may be deleted or renamed.
SCHEMA := functions/lib/store/schema
$(BUILD)/schema.c: $(SCHEMA) $(SCHEMA)/embed $(sort $(wildcard $(SCHEMA)/*.sql))
	@mkdir -p $(@D)
	@echo "EMBED $@"
	@$(SCHEMA)/embed $(filter %.sql,$^) > $@
$(BUILD)/obj/schema.o: $(BUILD)/schema.c
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -c -o $@ $<

ARFLAGS := rcs
$(LIB): $(call objects,$(LIB_SOURCES)) $(BUILD)/obj/schema.o
	@rm -f $@ && ar $(ARFLAGS) $@ $^

$(HOST_LIB): $(call objects,$(HOST_SOURCES))
	@rm -f $@ && ar $(ARFLAGS) $@ $^

$(RUNNER_LIB): $(call objects,$(RUNNER_LIB_SOURCES))
	@rm -f $@ && ar $(ARFLAGS) $@ $^

$(COMMAND_LIB): $(call objects,$(filter-out %/main.c,$(COMMAND_SOURCES)))
	@rm -f $@ && ar $(ARFLAGS) $@ $^

# The sandbox's helper program forks for each message, so it is static: then a child has fewer pages to copy
# and to fault in, and fewest with its code in huge pages. In sanitizer builds it is not static, because
# sanitizers need the shared C library. --wrap sends these calls of libraries to our functions. Functions of
# the same names would instead replace the originals in every program that links libeds.a, and clash with
# those in the static libraries.
#   d2i_PUBKEY_bio    libopendkim reads keys with it (functions/lib/dkim/fast-key.h)
#   __res_…           libopendkim and libspf2 set up a resolver for each message, although they get keys
#                     and records elsewhere
#   dlopen libcrypto would load modules that this machine's configuration names, but modules cannot use the C
#   library of a static program
VERIFIER_STATIC := -static-pie -Wl,-z,max-page-size=0x200000 -Wl,--gc-sections \
	-Wl,--wrap=d2i_PUBKEY_bio,--wrap=__res_init,--wrap=__res_ninit,--wrap=__res_nclose,--wrap=dlopen
VERIFIER_LDFLAGS_release := $(VERIFIER_STATIC)
VERIFIER_LDFLAGS_cover := $(VERIFIER_STATIC)
# The libraries that a static libcrypto needs, by its pkg-config file: zlib and zstd since OpenSSL 3.5 in Debian.
CRYPTO_STATIC := $(or $(filter-out -ldl -pthread,$(shell pkg-config --static --libs libcrypto 2>/dev/null)),-lcrypto)
VERIFIER_LIBS := -lopendkim -lspf2 $(CRYPTO_STATIC) -ljansson -lcares -lresolv
$(VERIFIER) $(HOSTILE_VERIFIER): LDFLAGS := $(filter-out -pie,$(LDFLAGS)) \
	$(or $(VERIFIER_LDFLAGS_$(MODE)),-pie)
$(VERIFIER): $(call objects,functions/lib/sandbox/verifier-main.c) $(LIB)
	$(call static_link,-Wl$(comma)--start-group $^ $(VERIFIER_LIBS) -Wl$(comma)--end-group)

$(HOSTILE_VERIFIER): $(call objects,tests/support/hostile-verifier.c) $(LIB)
	$(call link,$^ -ljansson)

# The helper program that reads reports, and the only one with that code; it is static like the first. It does
# without GPGME and GIO, which GMime would otherwise need (reader-main.c).
$(addprefix $(BUILD)/obj/functions/lib/reports/,mime.o reader-main.o): CFLAGS += $(GMIME_CFLAGS)
READER_STATIC := -static-pie -Wl,-z,max-page-size=0x200000 -Wl,--gc-sections
READER_LDFLAGS_release := $(READER_STATIC)
READER_LDFLAGS_cover := $(READER_STATIC)
# The static GLib of Debian 13 needs sysprof.
READER_LIBS := $(REPORT_LIBS) $(shell pkg-config --libs-only-l sysprof-capture-4 2>/dev/null) -lexpat -ljansson -lidn2 -lunistring -lpcre2-8 -lffi -lm \
	-lnettle -lz -lbz2 -llzma -lzstd -llz4
$(REPORT_READER): LDFLAGS := $(filter-out -pie,$(LDFLAGS)) $(or $(READER_LDFLAGS_$(MODE)),-pie)
$(REPORT_READER): $(call objects,functions/lib/reports/reader-main.c) $(LIB)
	$(call static_link,-Wl$(comma)--start-group $^ $(READER_LIBS) -Wl$(comma)--end-group)

$(addprefix $(BUILD)/functions/,tester-analyze tester-session-reanalyze tester-uploads reports-ingest): | $(VERIFIER)

# The third helper program validates DNSSEC and uses the network itself, so only it contains libunbound, with
# the cryptography that Debian builds it with: Nettle, or OpenSSL since Debian 13. An update of Debian 13
# has removed the static libunbound: there the program is linked like any other.
UNBOUND_STATIC := $(wildcard $(shell $(CC) -print-file-name=libunbound.a))
VALIDATOR_LIBS := -lunbound -levent_core
VALIDATOR_LDFLAGS := $(LDFLAGS)
ifneq ($(UNBOUND_STATIC),)
VALIDATOR_LIBS += -lhogweed -lnettle -lgmp -lssl -lcrypto -lz -lzstd
VALIDATOR_LDFLAGS := $(filter-out -pie,$(LDFLAGS)) $(or $(READER_LDFLAGS_$(MODE)),-pie)
endif
$(VALIDATOR): LDFLAGS := $(VALIDATOR_LDFLAGS)
$(VALIDATOR): $(call objects,functions/lib/dnssec/validator-main.c) $(LIB)
	$(call static_link,-Wl$(comma)--start-group $^ $(VALIDATOR_LIBS) -Wl$(comma)--end-group)

$(BUILD)/functions/posture-check $(BUILD)/functions/posture-check-now: | $(VALIDATOR)
SANDBOX_UNITS := $(shell grep -ls 'sandbox_fixture' $(UNIT_SOURCES) /dev/null)
$(SANDBOX_UNITS:tests/unit/%.c=$(BUILD)/tests/unit/%): | $(HOSTILE_VERIFIER) $(VERIFIER)
$(HOSTILE_READER): $(call objects,tests/support/hostile-reader.c) $(LIB)
	$(call link,$^ -ljansson)
$(addprefix $(BUILD)/tests/unit/test_,reports_reader sandbox_limits): | $(HOSTILE_READER) $(REPORT_READER)
$(BUILD)/tests/bench/reports $(BUILD)/tests/conformance/dmarc-reports \
	$(addprefix $(BUILD)/functions/,reports-ingest reports-tls-post reports-upload): | $(REPORT_READER)

# Code that several test programs share.
$(TEST_LIB): $(call objects,tests/support/zone.c tests/support/dnsd-process.c)
	@rm -f $@ && ar $(ARFLAGS) $@ $^

define function_rule
$(BUILD)/functions/$(call function_name,$(1)): $(call objects,$(1)) $(LIB)
	$$(call link,$$^ $$(LIBS))
endef
$(foreach s,$(MAINS),$(eval $(call function_rule,$(s))))

# The dashboard's modules become one script. The script, the style sheet and the page become a table of bytes in its
# program. The target es2022 keeps minifying from introducing syntax that is newer than that of the modules.
PAGE := functions/dashboard/assets
ESBUILD := esbuild --log-level=warning --minify --charset=utf8
$(BUILD)/page/app.js: $(wildcard $(PAGE)/*.js)
	@$(ESBUILD) --bundle --format=esm --target=es2022 --outfile=$@ $(PAGE)/app.js
$(BUILD)/page/style.css: $(PAGE)/style.css
	@$(ESBUILD) --outfile=$@ $<
ASSETS := $(BUILD)/page/app.js $(BUILD)/page/style.css functions/dashboard/robots.txt infra/openapi.yaml functions/dashboard/docs.html functions/dashboard/problems.html $(PAGE)/index.html
$(BUILD)/assets.c: functions/dashboard/embed $(ASSETS)
	@mkdir -p $(@D)
	@echo "EMBED $@"
	@functions/dashboard/embed $(ASSETS) > $@
$(BUILD)/obj/assets.o: $(BUILD)/assets.c
	@mkdir -p $(@D) && $(CC) $(CFLAGS) -c -o $@ $<
$(BUILD)/functions/dashboard-page: $(BUILD)/obj/assets.o

$(BUILD)/functions/manifest.json: functions/manifest.json
	@mkdir -p $(@D) && cp $< $@.new && mv $@.new $@

$(BUILD)/runner: $(call objects,$(RUNNER_SOURCES)) $(HOST_LIB) $(LIB)
	$(call link,$^ $(RUNNER_LIBS))

# The command eds, a client of the service: it contains no code of the service.
$(BUILD)/eds: $(call objects,local/eds/main.c) $(COMMAND_LIB) $(LIB)
	$(call link,$^ -ljansson -lcurl)

# The cloud adapter: static, so that it starts in half a millisecond and under any C library.
BOOTSTRAP_SOURCES := $(wildcard runtime/adapter/*.c)
BOOTSTRAP_STATIC := -static-pie -Wl,--gc-sections
BOOTSTRAP_LDFLAGS_release := $(BOOTSTRAP_STATIC)
BOOTSTRAP_LDFLAGS_cover := $(BOOTSTRAP_STATIC)
$(BUILD)/bootstrap: LDFLAGS := $(filter-out -pie,$(LDFLAGS)) $(or $(BOOTSTRAP_LDFLAGS_$(MODE)),-pie)
$(BUILD)/bootstrap: $(call objects,$(BOOTSTRAP_SOURCES)) $(HOST_LIB) $(LIB)
	$(call static_link,$^ -levent_core -lhttp_parser -ljansson)

include infra/package/package.mk
include infra/deb/deb.mk

# Unit tests of local/ and of runtime/host/ are also linked with the libraries of those folders.
RUNNER_UNITS := $(shell grep -lsE '"(local|runtime/host)/' $(UNIT_SOURCES) /dev/null)
$(RUNNER_UNITS:tests/unit/%.c=$(BUILD)/tests/unit/%): $(RUNNER_LIB) $(HOST_LIB)
COMMAND_UNITS := $(shell grep -ls '"local/eds/' $(UNIT_SOURCES) /dev/null)
$(COMMAND_UNITS:tests/unit/%.c=$(BUILD)/tests/unit/%): $(COMMAND_LIB)

# Unit tests that answer DNS from a table. The table replaces the resolver, so it is linked before the library.
TABLE_UNITS := $(shell grep -lsE 'dns-table|posture_fixture' $(UNIT_SOURCES) /dev/null)
$(TABLE_UNITS:tests/unit/%.c=$(BUILD)/tests/unit/%): $(BUILD)/obj/tests/support/dns-table.o

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(TEST_LIB) $(LIB)
	$(call link,$(filter %.o,$^) -Wl$(comma)--start-group $(filter %.a,$^) -Wl$(comma)--end-group -lcmocka $(LIBS) $(RUNNER_LIBS) $(REPORT_LIBS))

# This test lets realloc() fail.
$(BUILD)/tests/unit/test_smtp_data: private LDFLAGS += -Wl,--wrap=realloc

# The scripted DNS server, which some tests start.
DNSD_SOURCES := $(addprefix tests/support/,dnsd.c dnsd-line.c dnsd-reply.c dnsd-zone.c)
$(BUILD)/tests/support/dnsd: $(call objects,$(DNSD_SOURCES)) $(LIB)
	$(call link,$^)
DNSD_UNITS := $(shell grep -ls 'dnsd-process' $(UNIT_SOURCES) /dev/null)
$(DNSD_UNITS:tests/unit/%.c=$(BUILD)/tests/unit/%): | $(BUILD)/tests/support/dnsd

# Handlers that misbehave on request, for tests of the runner.
TEST_HANDLERS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/support/handler-*.c))
$(BUILD)/tests/support/handler-%: $(BUILD)/obj/tests/support/handler-%.o $(LIB)
	$(call link,$^ $(LIBS))

# Starts a program as clouds do that refuse calls of the kernel.
AS_CLOUD := $(BUILD)/tests/support/as-cloud
$(AS_CLOUD): $(call objects,tests/support/as-cloud.c)
	$(call link,$^)

# Preloaded into the runner, this library records writes and syncs, from which tests/faults computes states
# after a power failure.
FAULT_SHIM := $(BUILD)/tests/support/fault-shim.so
# Preloaded into a function, this library records where packets go.
CONNECT_SHIM := $(BUILD)/tests/support/connect-shim.so
# Preloaded into a function, this library makes one of its calls fail (tests/torture).
TORTURE_SHIM := $(BUILD)/tests/support/torture-shim.so
$(FAULT_SHIM) $(CONNECT_SHIM) $(TORTURE_SHIM): $(BUILD)/tests/support/%.so: tests/support/%.c
	@mkdir -p $(@D) && $(CC) $(filter-out -fPIE --coverage,$(CFLAGS)) -fPIC -shared -o $@ $<

unit: $(UNITS) ## only the unit tests; make unit/NAME runs one, make unit-names lists the names
	@status=0; for t in $(UNITS); do $$t || status=1; done; exit $$status

unit-names: ## the names that make unit/NAME takes, with the subject of each
	@for t in $(UNIT_SOURCES); do n=$${t##*/test_}; printf '%-32s %s\n' "$${n%.c}" \
		"$$(sed -n '1s:^/\* *\(.*[^ ]\)\( \*/\)$$:\1:p;1s:^/\* *\([^*]*[^* ]\)$$:\1:p' $$t)"; done

unit/%: $(BUILD)/tests/unit/test_%
	$<

$(BUILD)/tests/conformance/%: $(BUILD)/obj/tests/conformance/%.o $(TEST_LIB) $(LIB)
	$(call link,$(filter %.o,$^) $(filter %.a,$^) $(LIBS))

# The program verdict answers DNS from a table, which replaces the resolver, so the table
# is linked before the library.
$(VERDICT): $(BUILD)/obj/tests/support/dns-table.o

# The judge generates its messages itself, so it also runs where the public suites are missing.
conformance: deps-test build $(CONFORMANCE) $(VERDICT) $(BUILD)/tests/support/dnsd ## public test suites, from VECTORS, and two independent verifiers
	@status=0; for t in $(CONFORMANCE); do VECTORS=$(VECTORS) $$t || status=1; done; \
		VECTORS=$(VECTORS) python3 tests/conformance/dmarc-fields.py \
			$(BUILD)/tests/conformance/dmarc-reports || status=1; \
		VECTORS=$(VECTORS) BUILD=$(BUILD) node tests/conformance/mta-sts-https.mjs || status=1; \
		VERDICT=$(VERDICT) node tests/conformance/judge.mjs || status=1; exit $$status

BENCHES := $(patsubst tests/bench/%.c,$(BUILD)/tests/bench/%,$(wildcard tests/bench/*.c))
$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(LIB)
	$(call link,$^ $(LIBS))

# Fuzzing: every parser has tests/fuzz/fuzz_NAME.c and a corpus; the corpora are replayed by make test.
FUZZ_SOURCES := $(wildcard tests/fuzz/fuzz_*.c)
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz/%,$(FUZZ_SOURCES))
FUZZ_SECONDS ?= 300
$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(RUNNER_LIB) $(COMMAND_LIB) $(HOST_LIB) $(TEST_LIB) $(LIB)
	$(call link,-fsanitize=fuzzer -Wl$(comma)--start-group $^ -Wl$(comma)--end-group $(LIBS) \
		$(RUNNER_LIBS) $(FUZZ_LIBS))
FUZZ_LIBS := -lopendkim -lspf2 -lcrypto $(REPORT_LIBS)

fuzzers: $(FUZZERS)

REPLAYS := $(FUZZ_SOURCES:tests/fuzz/fuzz_%.c=$(BUILD)/tests/replay/%)
$(BUILD)/tests/replay/%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(BUILD)/obj/tests/fuzz/replay.o \
	$(RUNNER_LIB) $(COMMAND_LIB) $(HOST_LIB) $(TEST_LIB) $(LIB)
	$(call link,$(filter %.o,$^) -Wl$(comma)--start-group $(filter %.a,$^) -Wl$(comma)--end-group \
		$(LIBS) $(RUNNER_LIBS) $(FUZZ_LIBS))

replays: $(REPLAYS)

# Runs the readers of hostile bytes under valgrind: over the public suites, over the mail of the judge, and through
# the sandbox. Leaks are not looked for in the sandbox, because its children free no memory before they end.
VALGRIND := valgrind --quiet --error-exitcode=9 --trace-children=yes
LEAKS := --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite

valgrind: ## memory errors and leaks of the verification
	@$(MAKE) --no-print-directory MODE=valgrind valgrind-run

valgrind-run: $(CONFORMANCE) $(VERDICT) $(BUILD)/tests/bench/sandbox $(VERIFIER) $(REPORT_READER)
	VECTORS=$(VECTORS) $(VALGRIND) $(LEAKS) $(BUILD)/tests/conformance/spf
	VECTORS=$(VECTORS) $(VALGRIND) $(LEAKS) $(BUILD)/tests/conformance/dkim
	VERDICT="$(VALGRIND) $(LEAKS) $(VERDICT)" node tests/conformance/judge.mjs
	@rm -f $(BUILD)/sandbox.*.log
	EDS_SANDBOX=off $(VALGRIND) --log-file=$(BUILD)/sandbox.%p.log \
		$(BUILD)/tests/bench/sandbox $(VERIFIER) 5
	EDS_SANDBOX=off VECTORS=$(VECTORS) $(VALGRIND) --log-file=$(BUILD)/sandbox.%p.log \
		$(BUILD)/tests/conformance/dmarc-reports
	@! grep . $(BUILD)/sandbox.*.log

fuzz-coverage: ## the share of each parser's branches that the corpora reach
	@$(MAKE) -s --no-print-directory MODE=cover replays
	tests/fuzz/coverage build/cover

fuzz: ## run every fuzz target for FUZZ_SECONDS each; make fuzz/NAME runs one
	$(MAKE) MODE=fuzz fuzzers
	@for t in $(FUZZ_SOURCES:tests/fuzz/fuzz_%.c=%); do $(MAKE) fuzz/$$t || exit 1; done

fuzz/%:
	$(MAKE) MODE=fuzz build/fuzz/tests/fuzz/fuzz_$*
	@mkdir -p build/fuzz/corpus/$*
	build/fuzz/tests/fuzz/fuzz_$* -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix=build/fuzz/ build/fuzz/corpus/$* tests/fuzz/corpus/$*

# The Debian packages that building and running need, and those for testing.
PACKAGES := gcc make libc6-dev libjansson-dev libsqlite3-dev libc-ares-dev libssl-dev libspf2-dev \
	libopendkim-dev libidn2-dev libevent-dev libhttp-parser-dev libpq-dev libmd-dev \
	libcurl4-openssl-dev libarchive-dev libexpat1-dev libgmime-3.0-dev nettle-dev libbz2-dev \
	liblzma-dev libzstd-dev liblz4-dev libunistring-dev libunbound-dev libgmp-dev zlib1g-dev ca-certificates esbuild
TEST_PACKAGES := clang clang-format clang-tidy cppcheck libclang-rt-dev libcmocka-dev nsd ldnsutils curl swaks wrk \
	libnet-ssleay-perl openssl postfix caddy pebble chromium firefox-esr unzip strace faketime sqlite3 $(PACKING_PACKAGES) $(DEB_PACKAGES) lintian \
	postgresql pgbouncer python3-dateutil python3-dkim python3-nacl python3-spf python3-yaml valgrind mmdebstrap $(if $(shell command -v npm),,nodejs npm)
# Not every release of Debian has this package: without it its stories are skipped.
WISHED_PACKAGES := rspamd

deps: ## install what is missing to build and run (Debian packages)
	@infra/install-packages $(PACKAGES)

deps-test: deps ## install what is missing to test
	@infra/install-packages $(TEST_PACKAGES)
	@infra/install-packages --wished $(WISHED_PACKAGES)
	@$(MAKE) -s --no-print-directory tests/node_modules/.package-lock.json $(PROMETHEUS)

# Prometheus and its blackbox exporter, which stories use to evaluate the alarms. Their packages are unpacked and not
# installed, because Prometheus' service would take the operations port. promtool has a package of its own since
# Debian 13. Made anew when the exporter is missing.
PROMETHEUS := build/prometheus/usr/bin/prometheus-blackbox-exporter
$(PROMETHEUS):
	@tests/support/unpack-package build/prometheus prometheus prometheus-blackbox-exporter $(shell apt-cache --names-only search "^promtool$$" | cut -d" " -f1)
	@touch $@

# nginx, whose speed the benchmarks show as the speed of the machine.
NGINX := build/nginx/usr/sbin/nginx
$(NGINX):
	@tests/support/unpack-package build/nginx nginx
	@touch $@

# Programs with which the benchmarks compare; npm compiles them, which takes a minute.
PEERS := build/peers/node_modules/.package-lock.json
$(PEERS): tests/bench/peers/package-lock.json
	@mkdir -p build/peers && cp tests/bench/peers/package*.json build/peers
	@cd build/peers && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json

tests/node_modules/.package-lock.json: tests/package-lock.json
	cd tests && npm ci --no-audit --no-fund && touch node_modules/.package-lock.json

run: deps ## install what is missing, build, and serve on this machine
	@$(MAKE) $(JOBS) -s --no-print-directory build
	@build/runner serve --renew

demo: export ONCE ?= # exported: `ONCE=… node` would need a shell, which would keep a signal to make from the demo
demo: deps-test ## show the way of a message: send mail, print the result, and keep running with more results (ONCE=1: end at once)
	@$(MAKE) $(JOBS) -s --no-print-directory build
	@node tests/support/demo.mjs

.PHONY: infra
infra: deps-test ## make the deployments for AWS and Knative from the manifest, and the page about the API
	@node infra/generate.mjs

screenshots: deps-test ## the dashboard at 390 and 1280 pixels, light and dark, into build/screenshots
	@$(MAKE) $(JOBS) -s --no-print-directory build
	@node tests/support/screenshots.mjs build/screenshots functions/dashboard/screenshots

test: deps-test ## build and pass every test
	@$(MAKE) -s --no-print-directory all-tests

# The previous release, taken from the history, for the stories of an upgrade; these are skipped in a clone
# without history. It is built without optimization, since only its behavior matters.
BEFORE_COMMIT := $(shell cat tests/support/release-before 2>/dev/null)
BEFORE := build/before/$(BEFORE_COMMIT)
# That release was made for Debian 12. On Debian 13 some of its functions are deprecated, and its libraries
# need further ones.
BEFORE_ON_13 := WARNINGS=-w VERIFIER_LIBS='-lopendkim -lspf2 $(CRYPTO_STATIC) -ljansson -lcares -lresolv'
release-before: ## build the programs of the previous release, for the tests of upgrades
	@if git cat-file -e $(BEFORE_COMMIT)^{commit} 2>/dev/null; then \
		$(MAKE) -s --no-print-directory $(BEFORE)/build/runner; \
	else echo 'this clone has no history, so there is no previous release to test upgrades with'; fi
$(BEFORE)/build/runner:
	@echo "building the previous release, $(BEFORE_COMMIT)"
	@rm -rf $(BEFORE) && mkdir -p $(BEFORE) && git archive $(BEFORE_COMMIT) | tar -x -C $(BEFORE)
	@$(MAKE) -s --no-print-directory -C $(BEFORE) MODE=release BUILD=build CFLAGS_release=-O0 $(BEFORE_ON_13) functions runner >/dev/null

# The sanitizer build runs the unit and function tests again.
.PHONY: all-tests test-programs story-programs fuzzers fuzz replays fuzz-coverage valgrind valgrind-run \
	deps deps-test run demo screenshots test test-short test-on arm64 check bench peers figures scale faults cluster torture coverage mutate campaign install
test-programs: story-programs $(UNITS)
story-programs: build $(BUILD)/tests/support/dnsd $(HOSTILE_VERIFIER) $(HOSTILE_READER) $(TEST_HANDLERS) $(AS_CLOUD) \
	$(if $(filter release cover,$(MODE)),$(CONNECT_SHIM)) $(if $(filter release,$(MODE)),$(FAULT_SHIM) $(TORTURE_SHIM))
all-tests:
	$(MAKE) $(JOBS) test-programs
	$(MAKE) $(JOBS) packages PACKAGE_CURL=any
	$(MAKE) $(JOBS) -s debs
	$(MAKE) $(JOBS) release-before
	$(MAKE) $(JOBS) MODE=asan test-programs
	$(MAKE) $(JOBS) MODE=fuzz fuzzers
	node tests/run.mjs

# The tests that another release of Debian is most likely to break; all tests take an hour.
SHORT_STORIES := acceptance start openapi
test-short: deps-test ## build, and pass unit tests, functions, the public suites and the stories of acceptance
	@$(MAKE) $(JOBS) -s --no-print-directory test-programs
	node tests/run.mjs unit functions
	@! test -d $(VECTORS) || $(MAKE) -s --no-print-directory conformance
	node --test $(wildcard $(SHORT_STORIES:%=tests/e2e/%.test.mjs))

SUITE ?= trixie
COMMAND ?= make test
test-on: ## run README's two commands in a fresh root of Debian: SUITE=bookworm, trixie or forky (COMMAND="make test-short": that instead)
	@infra/install-packages mmdebstrap
	@tests/support/on $(SUITE) '$(COMMAND)'

arm64: ## everything cross-built for arm64 in a root of its own, its packages run under qemu-user (KEEP=FOLDER keeps the root)
	@infra/install-packages mmdebstrap
	@PACKAGES='$(PACKAGES)' PACKING='$(PACKING_PACKAGES)' KEEP='$(KEEP)' tests/support/arm64

check: deps-test ## format, warnings of two compilers, linters, layout rules (SINCE=COMMIT: clang-tidy only for what has changed since)
	@$(MAKE) -s --no-print-directory all-checks

C_SOURCES := $(shell git ls-files '*.c' 2>/dev/null)
C_FILES := $(shell git ls-files '*.c' '*.h' 2>/dev/null)
SINCE_KNOWN = $(and $(SINCE),$(shell git cat-file -e $(SINCE)^{commit} 2>/dev/null && echo yes))
TIDY_SOURCES = $(filter-out tests/%,$(if $(SINCE_KNOWN),$(shell git diff --name-only --diff-filter=d $(SINCE) -- '*.c'),$(C_SOURCES)))
.PHONY: all-checks objects
objects: $(call objects,$(C_SOURCES))
all-checks:
	@echo 'check: format' && clang-format --dry-run --Werror $(C_FILES)
	@echo 'check: layout' && tests/support/check-layout && node tests/support/check-headers.mjs
	@echo 'check: infra' && node infra/generate.mjs --check && node tests/support/aws-validate.mjs infra/aws/template.json
	@echo 'check: gcc' && $(MAKE) $(JOBS) -s --no-print-directory MODE=check objects
	@echo 'check: clang' && printf '%s\n' $(C_SOURCES) | xargs -P2 -n8 clang -std=c11 -D_GNU_SOURCE -I. $(GMIME_CFLAGS) $(WARNINGS) -Werror -fsyntax-only
	@echo 'check: cppcheck' && cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr --enable=warning,portability \
		--library=posix --library=gnu --suppress=readdirCalled -D_GNU_SOURCE -D__x86_64__ -I. -j2 $(C_SOURCES)
	@echo 'check: clang-tidy' && printf '%s\n' $(TIDY_SOURCES) | xargs -r -P2 -n6 sh -c 'clang-tidy --quiet \
		--warnings-as-errors="*" "$$@" -- -std=c11 -D_GNU_SOURCE -I. $(GMIME_CFLAGS) 2>/dev/null' tidy
	@echo "check: clean"

faults: deps-test ## kill, fill, lock, cut the power: seeded rounds (ARGS="--seed N --only power")
	@$(MAKE) $(JOBS) -s --no-print-directory build $(TEST_HANDLERS) $(FAULT_SHIM) $(BUILD)/tests/support/dnsd
	@node tests/faults/run.mjs $(ARGS)

cluster: deps-test ## four runners, eight instances of the jobs, PostgreSQL with a standby, S3 and Caddy: each killed in turn under load (MINUTES, SEED)
	@$(MAKE) $(JOBS) -s --no-print-directory build $(BUILD)/tests/support/dnsd
	@MINUTES='$(MINUTES)' SEED='$(SEED)' node tests/faults/cluster.mjs

torture: deps-test ## make each call of functions and runner fail in turn (ARGS="--points N --seed N NAME…")
	@$(MAKE) $(JOBS) -s --no-print-directory test-programs
	@node tests/torture/run.mjs $(ARGS)
	@test -n "$(ARGS)" || node tests/torture/stories.mjs

coverage: deps-test ## the lines and branches that tests execute, child processes included (ARGS="NAME…")
	@$(MAKE) $(JOBS) -s --no-print-directory MODE=cover test-programs replays
	@node tests/coverage/run.mjs $(or $(ARGS),--least 95$(comma)85)

mutate: deps-test ## plant small mistakes and list those that no test notices (ARGS="--seed N --count N --path PREFIX")
	@node tests/mutate/run.mjs $(ARGS)

campaign: deps-test ## 2,000 generated requests an operation on each store (SEED=n repeats one)
	@$(MAKE) $(JOBS) -s --no-print-directory build
	@CAMPAIGN_REQUESTS=2000 node --test tests/e2e/campaign.test.mjs
	@CAMPAIGN_REQUESTS=2000 node tests/support/postgres.mjs node --test tests/e2e/campaign.test.mjs

bench: deps-test ## measure speed and memory; slow figures are no failure (ARGS="analysis mail": only these)
	@$(MAKE) $(JOBS) -s --no-print-directory build $(BENCHES) $(BUILD)/tests/support/dnsd \
		$(BUILD)/tests/support/handler-keep $(NGINX)
	@FIGURES='$(FIGURES)' node tests/bench/run.mjs $(ARGS)

peers: $(PEERS) ## compile node's better-sqlite3, with which make bench then compares, too

figures: peers ## run make bench, and write its table into tests/bench/README.md
	@$(MAKE) -s --no-print-directory bench FIGURES=tests/bench/README.md

scale: deps-test ## run the schedule of many domains in simulated time, on PostgreSQL (DOMAINS, MINUTES, SPEED)
	@$(MAKE) $(JOBS) -s --no-print-directory build $(BUILD)/tests/support/dnsd
	@node tests/bench/scale.mjs

PREFIX ?= /usr/local
INSTALLED := $(DESTDIR)$(PREFIX)/lib/eds
install: build ## into PREFIX (/usr/local), with a systemd unit; DESTDIR before it for a package
	install -d $(INSTALLED)/functions $(INSTALLED)/libexec $(DESTDIR)/etc/systemd/system
	install $(BUILD)/runner $(BUILD)/bootstrap $(INSTALLED)
	install $(BUILT) $(INSTALLED)/functions
	install -m 644 functions/manifest.json $(INSTALLED)/functions
	install $(BUILD)/libexec/* $(INSTALLED)/libexec
	install -D $(BUILD)/eds $(DESTDIR)$(PREFIX)/bin/eds
	install -D -m 644 local/eds/eds.1 $(DESTDIR)$(PREFIX)/share/man/man1/eds.1
	install -D -m 644 local/eds/completion.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/eds
	install infra/systemd/backup $(INSTALLED)
	install -d $(DESTDIR)$(PREFIX)/sbin
	sed 's:/usr/local:$(PREFIX):' infra/systemd/as-eds > $(DESTDIR)$(PREFIX)/sbin/as-eds
	chmod 755 $(DESTDIR)$(PREFIX)/sbin/as-eds
	install -D -m 644 infra/systemd/as-eds.8 $(DESTDIR)$(PREFIX)/share/man/man8/as-eds.8
	for unit in eds.service eds-ports.socket eds-backup.service eds-backup.timer; do \
		sed 's:/usr/local:$(PREFIX):' infra/systemd/$$unit > $(DESTDIR)/etc/systemd/system/$$unit; done
	test -e $(DESTDIR)/etc/eds/eds.conf || install -D -m 600 infra/systemd/eds.conf $(DESTDIR)/etc/eds/eds.conf

# First the new programs migrate the database while the old ones keep using it; then the programs are replaced.
SYSTEMCTL ?= systemctl
upgrade: build ## replace an installed service by this build: migrate, install, restart
	echo '{"action": "migrate"}' | AS_EDS_ROOT='$(abspath $(DESTDIR))' \
		infra/systemd/as-eds $(abspath $(BUILD))/runner invoke admin -
	$(MAKE) -s --no-print-directory install
	$(SYSTEMCTL) daemon-reload
	$(SYSTEMCTL) restart eds

# clang's compilation database for editors and tools: the command with which make compiles each source.
compile_commands.json: $(C_SOURCES) Makefile ## how each source is compiled, for editors (clangd)
	@{ sep='['; for s in $(C_SOURCES); do f='$(filter-out -MMD -MP,$(CFLAGS))'; \
		case $$s in functions/lib/reports/mime.c|functions/lib/reports/reader-main.c) f="$$f $(GMIME_CFLAGS)";; esac; \
		printf '%s\n{"directory": "%s", "file": "%s", "command": "%s"}' "$$sep" "$(CURDIR)" "$$s" "$(CC) $$f -c $$s"; \
		sep=','; done; echo ']'; } > $@

help: ## this list
	@sed -n 's/^\([a-z_.-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

clean: ## remove what was built
	rm -rf build

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# eds: everything is built, run and tested from here. `make help` lists the targets.

MODE ?= release
ifeq ($(MODE),release)
BUILD ?= build
else
BUILD ?= build/$(MODE)
endif
VECTORS ?= ../shared/vectors

# Compiler and flags. Hardening flags are used where this compiler knows them.
CC_fuzz := clang
CC := $(or $(CC_$(MODE)),$(if $(filter default,$(origin CC)),gcc,$(CC)))
probe = $(shell echo 'int main(void){return 0;}' | $(CC) -Werror $(1) -x c - -o /dev/null 2>/dev/null && echo '$(1)')

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 $(call probe,-fstack-protector-strong) \
	$(call probe,-fstack-clash-protection) $(call probe,-fcf-protection=full) \
	$(call probe,-ftrivial-auto-var-init=zero)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

CFLAGS_release := -O2 $(HARDENING)
CFLAGS_asan := -O1 $(SANITIZE) -DRT_ARENA_MALLOC
CFLAGS_fuzz := -O1 $(SANITIZE) -fsanitize=fuzzer-no-link -DRT_ARENA_MALLOC
CFLAGS_cover := -O0 --coverage
LDFLAGS_release := -Wl,-z,relro,-z,now,-z,noexecstack
LDFLAGS_asan := $(SANITIZE)
LDFLAGS_fuzz := $(SANITIZE)
LDFLAGS_cover := --coverage

CFLAGS += -std=c11 -D_GNU_SOURCE -g -fPIE -I. $(WARNINGS) $(CFLAGS_$(MODE)) -MMD -MP
LDFLAGS += -pie -Wl,--as-needed $(LDFLAGS_$(MODE))

# A library is linked only into what uses it (--as-needed; unused archive members stay out).
LIBS := -ljansson -lsqlite3 -lcares -lidn2 -lcrypto -lspf2
RUNNER_LIBS := -levent_openssl -levent_core -lhttp_parser -lssl -lcrypto -ljansson
-include Makefile.local

# Sources. A file whose folder and name spell a function of the manifest is that function's main.
FUNCTIONS := $(shell sed -n 's/^    "\([a-z0-9-]*\)": {$$/\1/p' functions/manifest.json)
FUNCTION_SOURCES := $(wildcard functions/*/*.c)
function_name = $(subst /,-,$(patsubst functions/%.c,%,$(patsubst functions/admin/admin.c,functions/admin.c,$(1))))
MAINS := $(foreach s,$(FUNCTION_SOURCES),$(if $(filter $(call function_name,$(s)),$(FUNCTIONS)),$(s)))
VERIFIER_SOURCES := $(wildcard functions/lib/sandbox/verifier*.c) functions/lib/spf/spf-evaluate.c \
	functions/lib/dkim/dkim-verify.c
LIB_SOURCES := $(wildcard runtime/*.c functions/lib/*.c functions/lib/*/*.c) \
	$(filter-out $(MAINS),$(FUNCTION_SOURCES))
LIB_SOURCES := $(filter-out runtime/bootstrap%.c functions/lib/sandbox/verifier-main.c,$(LIB_SOURCES))
RUNNER_SOURCES := $(wildcard local/*.c)
RUNNER_LIB_SOURCES := $(filter-out local/main.c,$(RUNNER_SOURCES))
UNIT_SOURCES := $(wildcard tests/unit/test_*.c)

comma := ,
objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB := $(BUILD)/libeds.a
RUNNER_LIB := $(BUILD)/librunner.a
BUILT := $(foreach s,$(MAINS),$(BUILD)/functions/$(call function_name,$(s)))
TEST_LIB := $(BUILD)/libtest.a
CONFORMANCE := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/conformance/*.c))
UNITS := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(UNIT_SOURCES))

.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: build help functions runner unit conformance clean

build: functions runner ## compile everything into build/
functions: $(BUILT) $(BUILD)/functions/manifest.json
runner: $(BUILD)/runner

# Linked under a temporary name and renamed, so that a running program is never seen half-written.
link = @mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@.new$$$$ $(1) && mv $@.new$$$$ $@

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

$(LIB): $(call objects,$(LIB_SOURCES))
	@rm -f $@ && ar rcs $@ $^

$(RUNNER_LIB): $(call objects,$(RUNNER_LIB_SOURCES))
	@rm -f $@ && ar rcs $@ $^

# What several test programs share.
$(TEST_LIB): $(call objects,tests/support/zone.c tests/support/dnsd-process.c)
	@rm -f $@ && ar rcs $@ $^

define function_rule
$(BUILD)/functions/$(call function_name,$(1)): $(call objects,$(1)) $(LIB)
	$$(call link,$$^ $$(LIBS))
endef
$(foreach s,$(MAINS),$(eval $(call function_rule,$(s))))

$(BUILD)/functions/manifest.json: functions/manifest.json
	@mkdir -p $(@D) && cp $< $@

$(BUILD)/runner: $(call objects,$(RUNNER_SOURCES)) $(LIB)
	$(call link,$^ $(RUNNER_LIBS))

# Tests of the runner's files need those too.
RUNNER_UNITS := $(shell grep -ls '"local/' $(UNIT_SOURCES) /dev/null)
$(RUNNER_UNITS:tests/unit/%.c=$(BUILD)/tests/unit/%): $(RUNNER_LIB)

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(TEST_LIB) $(LIB)
	$(call link,-Wl$(comma)--start-group $^ -Wl$(comma)--end-group -lcmocka $(LIBS) $(RUNNER_LIBS))

# The scripted DNS server, which some of them start.
DNSD_SOURCES := $(addprefix tests/support/,dnsd.c dnsd-line.c dnsd-reply.c dnsd-zone.c)
$(BUILD)/tests/support/dnsd: $(call objects,$(DNSD_SOURCES)) $(LIB)
	$(call link,$^)
DNSD_UNITS := $(shell grep -ls 'dnsd-process' $(UNIT_SOURCES) /dev/null)
$(DNSD_UNITS:tests/unit/%.c=$(BUILD)/tests/unit/%): | $(BUILD)/tests/support/dnsd

unit: $(UNITS) ## unit tests alone; make unit/NAME for one
	@status=0; for t in $(UNITS); do $$t || status=1; done; exit $$status

unit/%: $(BUILD)/tests/unit/test_%
	$<

$(BUILD)/tests/conformance/%: $(BUILD)/obj/tests/conformance/%.o $(TEST_LIB) $(LIB)
	$(call link,$^ $(LIBS))

conformance: $(CONFORMANCE) ## public test suites, from VECTORS
	@status=0; for t in $^; do VECTORS=$(VECTORS) $$t || status=1; done; exit $$status

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

clean: ## remove what was built
	rm -rf build

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

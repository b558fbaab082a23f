# make package: each function as a zip that needs only a Linux kernel. It contains bootstrap,
# functions/NAME with manifest.json, libexec/ for a function with a helper, lib/ with every library and
# the ELF loader, ca-certificates.crt, and the notices and the list of libraries.
#
# The programs are linked again for this: with the loader of the package, at the path where AWS Lambda
# unpacks zips; they find libraries beside the program. Small libraries are linked statically, because
# each shared library makes a cold start slower.
PACKAGE := $(BUILD)/package
PACKAGE_ROOT := /var/task
PACKAGE_CA ?= /etc/ssl/certs/ca-certificates.crt
PACKAGE_NAMES := $(foreach s,$(MAINS),$(call function_name,$(s)))
PACKAGES_BUILT := $(PACKAGE_NAMES:%=$(PACKAGE)/%.zip)

PACKAGE_STATIC := -ljansson -lsqlite3 -lcares -lidn2 -l:libmd.a -l:libnettle.a
PACKAGE_LIBS := -Wl,--start-group -Wl,-Bstatic $(PACKAGE_STATIC) -lunistring -Wl,-Bdynamic \
	-Wl,--end-group $(filter-out $(PACKAGE_STATIC),$(LIBS)) -lm
# The linker's map lists the libraries linked in, for the package's notices.
PACKAGE_MAP = -Wl,-Map=$(PACKAGE)/map/$(@F).map
PACKAGE_LOADER_NAME := $(if $(findstring aarch64,$(shell $(CC) -dumpmachine)),ld-linux-aarch64.so.1,ld-linux-x86-64.so.2)
PACKAGE_LOADER := -s -Wl,--build-id=none -Wl,--gc-sections -Wl,--disable-new-dtags \
	-Wl,--dynamic-linker=$(PACKAGE_ROOT)/lib/$(PACKAGE_LOADER_NAME)
PACKAGE_LDFLAGS := $(PACKAGE_LOADER) -Wl,-rpath,'$$ORIGIN/../lib'

package_parts = $(filter %.o %.a,$^)

define package_rule
$(PACKAGE)/bin/functions/$(call function_name,$(1)): $(call objects,$(1)) $(LIB)
	$$(call link,$$(PACKAGE_MAP) $$(PACKAGE_LDFLAGS) $$(package_parts) $$(PACKAGE_LIBS))
endef
$(foreach s,$(MAINS),$(eval $(call package_rule,$(s))))
$(PACKAGE)/bin/functions/dashboard-page: $(BUILD)/obj/assets.o

# The package has a C library, so bootstrap need not contain one.
$(PACKAGE)/bin/bootstrap: $(call objects,$(BOOTSTRAP_SOURCES)) $(HOST_LIB) $(LIB)
	$(call link,$(PACKAGE_MAP) $(PACKAGE_LOADER) -Wl$(comma)-rpath$(comma)'$$ORIGIN/lib' $(package_parts) \
		-Wl$(comma)-Bstatic -levent_core -lhttp_parser -ljansson -Wl$(comma)-Bdynamic)

# The helpers are linked as in build/, except the verifier: it shares libcrypto with its function, which
# saves 2 MB zipped, although a static verifier takes 0.2 ms of processor less per message.
PACKAGE_VERIFIER_LIBS := $(filter-out -static-pie %max-page-size=0x200000,$(VERIFIER_STATIC)) \
	-Wl,-Bstatic $(filter-out -lcrypto,$(VERIFIER_LIBS)) -Wl,-Bdynamic -lcrypto
$(PACKAGE)/bin/libexec/eds-verifier: $(call objects,functions/lib/sandbox/verifier-main.c) $(LIB)
	$(call link,$(PACKAGE_MAP) $(PACKAGE_LDFLAGS) -Wl$(comma)--start-group $(package_parts) $(PACKAGE_VERIFIER_LIBS) -Wl$(comma)--end-group)
$(PACKAGE)/bin/libexec/eds-report-reader: LDFLAGS := $(filter-out -pie,$(LDFLAGS)) $(or $(READER_LDFLAGS_$(MODE)),-pie) -s
$(PACKAGE)/bin/libexec/eds-report-reader: $(call objects,functions/lib/reports/reader-main.c) $(LIB)
	$(call static_link,$(PACKAGE_MAP) -Wl$(comma)--start-group $(package_parts) $(READER_LIBS) -Wl$(comma)--end-group)

# If libunbound is not linked statically, the package contains it.
$(PACKAGE)/bin/libexec/eds-validator: LDFLAGS := $(VALIDATOR_LDFLAGS) $(if $(UNBOUND_STATIC),-s,$(PACKAGE_LDFLAGS))
$(PACKAGE)/bin/libexec/eds-validator: $(call objects,functions/lib/dnssec/validator-main.c) $(LIB)
	$(call static_link,$(PACKAGE_MAP) -Wl$(comma)--start-group $(package_parts) $(VALIDATOR_LIBS) -Wl$(comma)--end-group)

# Our builds of libraries, which replace Debian's. Debian's libpq needs LDAP and Kerberos, and those need
# GnuTLS and ten more libraries, none of which an EDS_DATABASE_URL can use. PACKAGE_CURL=any takes Debian's
# libcurl, with LDAP and Kerberos, if its source cannot be downloaded.
PACKAGE_CURL_any := || { [ $$? = 75 ] && rm -f $(PACKAGE)/own/libcurl.so.4 && \
	echo 'taking the libcurl of this system: its packages are 5 MB larger'; }
PACKAGE_LIBPQ := $(shell $(CC) -print-file-name=libpq.so.5)
PACKAGE_LDAP := $(shell readelf -d $(PACKAGE_LIBPQ) 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(libldap[^]]*\)\]/\1/p')
PACKAGE_OWN := $(PACKAGE_LDAP:%=$(PACKAGE)/own/%) $(addprefix $(PACKAGE)/own/,libgssapi_krb5.so.2 libcurl.so.4)
$(PACKAGE_LDAP:%=$(PACKAGE)/own/%): infra/package/absent-ldap.c $(PACKAGE)/absent-ldap.map
$(PACKAGE)/own/libgssapi_krb5.so.2: infra/package/absent-gssapi.c infra/package/absent-gssapi.map
# The symbol version that Debian's libpq requires: OPENLDAP_2.5 in Debian 12, OPENLDAP_2.200 in Debian 13.
$(PACKAGE)/absent-ldap.map: $(PACKAGE_LIBPQ)
	@mkdir -p $(@D)
	@echo "$$(readelf -V $< | grep -o 'OPENLDAP_[0-9.]*' | head -1) { global: ldap_*; local: *; };" >$@
$(filter-out %/libcurl.so.4,$(PACKAGE_OWN)): $(PACKAGE)/own/%:
	@mkdir -p $(@D) && $(CC) -std=c11 -O2 -fPIC -shared $(WARNINGS) -s -Wl,--build-id=none -nostdlib \
		-Wl,-soname,$* -Wl,--version-script=$(filter %.map,$^) -o $@ $(filter %.c,$^)
$(PACKAGE)/own/libcurl.so.4: infra/package/build-curl
	@echo 'building libcurl for packages' && infra/package/build-curl $(@D) $(PACKAGE_CURL_$(PACKAGE_CURL))

# When an upgrade changes the version of any library, the files that contain Debian's libraries are made again.
$(PACKAGE)/libraries: always
	@mkdir -p $(@D) && dpkg-query -W 'lib*' >$@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
.PHONY: always
PACKAGE_PROGRAMS := $(PACKAGE_NAMES:%=$(PACKAGE)/bin/functions/%) \
	$(addprefix $(PACKAGE)/bin/,bootstrap libexec/eds-verifier libexec/eds-report-reader libexec/eds-validator)
$(PACKAGE_PROGRAMS) $(PACKAGE)/own/libcurl.so.4: $(PACKAGE)/libraries

$(PACKAGE_PROGRAMS): | $(PACKAGE)/map
$(PACKAGE)/map:
	@mkdir -p $@

$(PACKAGE)/common.zip: $(PACKAGE_PROGRAMS) $(PACKAGE_OWN) functions/manifest.json $(PACKAGE_CA) infra/package/pack \
	runtime/helpers.c infra/package/notices
	@BUILD=$(BUILD) PACKAGE_CA=$(PACKAGE_CA) infra/package/pack common
$(PACKAGE)/%.zip: $(PACKAGE)/common.zip
	@BUILD=$(BUILD) infra/package/pack $*

PACKING_PACKAGES := zip advancecomp dpkg-dev
.PHONY: package packages
package: deps ## each function as a self-contained zip, in build/package
	@infra/install-packages $(PACKING_PACKAGES)
	@$(MAKE) -s --no-print-directory packages
packages: $(PACKAGES_BUILT)

# make package: each function as a zip that needs nothing but a Linux kernel under it. In it lie
# bootstrap, functions/NAME with manifest.json, libexec/ where it has a helper, lib/ with every
# library and the ELF loader, and ca-certificates.crt.
#
# The programs are linked anew: the loader is the package's own, so the path is the one at which AWS
# Lambda unpacks zips; libraries are looked for beside the program. Small libraries are linked in
# statically, since each shared one costs a cold start its time.
PACKAGE := $(BUILD)/package
PACKAGE_ROOT := /var/task
PACKAGE_CA ?= /etc/ssl/certs/ca-certificates.crt
PACKAGE_NAMES := $(foreach s,$(MAINS),$(call function_name,$(s)))
PACKAGES_BUILT := $(PACKAGE_NAMES:%=$(PACKAGE)/%.zip)

PACKAGE_STATIC := -ljansson -lsqlite3 -lcares -lidn2 -l:libmd.a
PACKAGE_LIBS := -Wl,--start-group -Wl,-Bstatic $(PACKAGE_STATIC) -lunistring -Wl,-Bdynamic \
	-Wl,--end-group $(filter-out $(PACKAGE_STATIC),$(LIBS)) -lm
PACKAGE_LOADER := -s -Wl,--build-id=none -Wl,--gc-sections -Wl,--disable-new-dtags \
	-Wl,--dynamic-linker=$(PACKAGE_ROOT)/lib/ld-linux-x86-64.so.2
PACKAGE_LDFLAGS := $(PACKAGE_LOADER) -Wl,-rpath,'$$ORIGIN/../lib'

define package_rule
$(PACKAGE)/bin/functions/$(call function_name,$(1)): $(call objects,$(1)) $(LIB)
	$$(call link,$$(PACKAGE_LDFLAGS) $$^ $$(PACKAGE_LIBS))
endef
$(foreach s,$(MAINS),$(eval $(call package_rule,$(s))))
$(PACKAGE)/bin/functions/dashboard-page: $(BUILD)/obj/assets.o

# With a C library in the package, bootstrap need not bring its own.
$(PACKAGE)/bin/bootstrap: $(call objects,$(BOOTSTRAP_SOURCES)) $(HOST_LIB) $(LIB)
	$(call link,$(PACKAGE_LOADER) -Wl$(comma)-rpath$(comma)'$$ORIGIN/lib' $^ \
		-Wl$(comma)-Bstatic -levent_core -lhttp_parser -ljansson -Wl$(comma)-Bdynamic)

# The helpers: one is static already, the other looks for its libraries as the functions do.
$(PACKAGE)/bin/libexec/eds-verifier: $(VERIFIER)
	@mkdir -p $(@D) && strip -s -o $@ $<
$(PACKAGE)/bin/libexec/eds-report-reader: $(call objects,functions/lib/reports/reader-main.c) $(LIB)
	$(call link,$(PACKAGE_LDFLAGS) $^ $(REPORT_LIBS) -ljansson)

# Debian's libpq brings LDAP and Kerberos, and those two GnuTLS and ten more libraries, none of which
# EDS_DATABASE_URL can ask for.
$(PACKAGE)/absent/libldap-2.5.so.0: infra/package/absent-ldap.c infra/package/absent-ldap.map
$(PACKAGE)/absent/libgssapi_krb5.so.2: infra/package/absent-gssapi.c infra/package/absent-gssapi.map
$(PACKAGE)/absent/%: infra/package/pack
	@mkdir -p $(@D) && $(CC) -std=c11 -O2 -fPIC -shared $(WARNINGS) -s -Wl,--build-id=none -nostdlib \
		-Wl,-soname,$* -Wl,--version-script=$(filter %.map,$^) -o $@ $(filter %.c,$^)

$(PACKAGE)/%.zip: $(PACKAGE)/bin/functions/% $(PACKAGE)/bin/bootstrap functions/manifest.json infra/package/pack \
		$(PACKAGE)/bin/libexec/eds-verifier $(PACKAGE)/bin/libexec/eds-report-reader \
		$(PACKAGE)/absent/libldap-2.5.so.0 $(PACKAGE)/absent/libgssapi_krb5.so.2
	@BUILD=$(BUILD) PACKAGE_CA=$(PACKAGE_CA) infra/package/pack $*

.PHONY: package packages
package: deps ## each function as a self-contained zip, in build/package
	@infra/install-packages zip libunistring-dev
	@$(MAKE) -s --no-print-directory packages
packages: $(PACKAGES_BUILT)

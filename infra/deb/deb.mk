# make deb: Debian packages, in build/deb, of what make install puts in place: eds, and what sets up
# Postfix and Caddy before it. infra/deb/debian is their debian/ directory; its changelog is made here.
# They are for the release of Debian that they are made on, whose libraries the programs need.
DEB := $(BUILD)/deb
DEB_PACKAGES := debhelper dpkg-dev
# A release is newer on a newer Debian.
DEB_VERSION ?= $(shell sed -n 's/.*return "\([0-9.]*\)";.*/\1/p' runtime/version.c)+deb$(shell . /etc/os-release && echo $$VERSION_ID)
# Who answers for the packages, as Debian's tools name whoever builds one.
DEB_MAINTAINER := $(or $(DEBFULLNAME),Administrators of eds) <$(or $(DEBEMAIL),postmaster@example.com)>
# The same source makes the same packages: their time is that of the last change.
DEB_TIME = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y runtime/version.c))

.PHONY: deb debs
deb: deps ## Debian packages for this release of Debian, in build/deb
	@infra/install-packages $(DEB_PACKAGES)
	@$(MAKE) $(JOBS) -s --no-print-directory build
	@$(MAKE) -s --no-print-directory debs

# Build dependencies are the Makefile's (deps), so dpkg-buildpackage checks none.
debs: build
	@rm -rf $(DEB) && mkdir -p $(DEB)/source
	@cp -r infra/deb/debian $(DEB)/source/debian
	@sed -i 's/^Maintainer:$$/& $(DEB_MAINTAINER)/' $(DEB)/source/debian/control
	@printf 'eds (%s) stable; urgency=medium\n\n  * This release; the history of the source says what is new.\n\n -- %s  %s\n' \
		'$(DEB_VERSION)' '$(DEB_MAINTAINER)' "$$(date -uRd @$(DEB_TIME))" >$(DEB)/source/debian/changelog
	@cd $(DEB)/source && env -u MAKEFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=$(DEB_TIME) TOP='$(CURDIR)' BUILD='$(BUILD)' \
		dpkg-buildpackage -b -d -us -uc >../log 2>&1 || { cat ../log >&2; false; }
	@ls $(DEB)/*.deb

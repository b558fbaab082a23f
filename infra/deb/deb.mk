# make deb: Debian packages, in build/deb, of the files that make install installs: eds, and packages that
# set up Postfix and Caddy before it. infra/deb/debian is their debian/ directory; its changelog is made
# here. They are for the release of Debian on which they are built, whose libraries the programs need.
DEB := $(BUILD)/deb
DEB_PACKAGES := debhelper dpkg-dev
# The package of a newer Debian has the higher version.
DEB_VERSION ?= $(shell sed -n 's/.*return "\([0-9.]*\)";.*/\1/p' runtime/version.c)+deb$(shell . /etc/os-release && echo $$VERSION_ID)
# The maintainer of the packages, from the variables of Debian's tools.
DEB_MAINTAINER := $(or $(DEBFULLNAME),Administrators of eds) <$(or $(DEBEMAIL),postmaster@example.com)>
# The same source gives the same packages, because their time is that of the last change.
DEB_TIME = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y runtime/version.c))

.PHONY: deb debs
deb: deps ## Debian packages for this release of Debian, in build/deb
	@infra/install-packages $(DEB_PACKAGES)
	@$(MAKE) $(JOBS) -s --no-print-directory build
	@$(MAKE) -s --no-print-directory debs

# The Makefile installs the build dependencies (deps), so dpkg-buildpackage checks none.
debs: build
	@rm -rf $(DEB) && mkdir -p $(DEB)/source
	@cp -r infra/deb/debian $(DEB)/source/debian
	@sed -i 's/^Maintainer:$$/& $(DEB_MAINTAINER)/' $(DEB)/source/debian/control
	@printf 'eds (%s) stable; urgency=medium\n\n  * This release; the history of the source says what is new.\n\n -- %s  %s\n' \
		'$(DEB_VERSION)' '$(DEB_MAINTAINER)' "$$(date -uRd @$(DEB_TIME))" >$(DEB)/source/debian/changelog
	@cd $(DEB)/source && env -u MAKEFLAGS -u MAKELEVEL SOURCE_DATE_EPOCH=$(DEB_TIME) TOP='$(CURDIR)' BUILD='$(BUILD)' \
		dpkg-buildpackage -b -d -us -uc >../log 2>&1 || { cat ../log >&2; false; }
	@ls $(DEB)/*.deb

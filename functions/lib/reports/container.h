/* Detects what a part of a mail or a member of an archive contains, by its first octets. */
#ifndef EDS_REPORTS_CONTAINER_H
#define EDS_REPORTS_CONTAINER_H

#include "functions/lib/reports/intake.h"
#include <stddef.h>

enum {
	EDS_CONTAINER_LOOK = 512,     /* maximum number of octets that are skipped as white space */
	EDS_CONTAINER_TAR_MARK = 257, /* offset of the format's name in the header of a tar */
};

enum eds_container {
	EDS_CONTAINER_OTHER, /* anything else: text, a picture, no octets at all */
	EDS_CONTAINER_GZIP,  /* a gzip file (RFC 1952 section 2.3.1) */
	EDS_CONTAINER_ZIP,   /* a zip: begins with a local file header, or with the end record of an
			      * empty zip */
	EDS_CONTAINER_TAR,   /* a tar in the POSIX (ustar, pax) or GNU format; older formats have no
			      * mark */
	EDS_CONTAINER_XML,   /* XML in any encoding (xml-encoding.h) */
	EDS_CONTAINER_JSON,  /* a JSON object */
};

enum eds_container eds_container_kind(const char *bytes, size_t length);

/* Reads the reports in one part or member. level: number of containers around that part or
 * member. */
void eds_intake_container(
	struct eds_intake *intake, struct eds_source *source, const char *file, unsigned level);

#endif

/* Detects the kind of octets by the first of them. */
#ifndef EDS_REPORTS_CONTAINER_H
#define EDS_REPORTS_CONTAINER_H

#include "functions/lib/reports/intake.h"
#include <stddef.h>

enum {
	EDS_CONTAINER_LOOK = 512,     /* maximum octets of white space to skip */
	EDS_CONTAINER_TAR_MARK = 257, /* offset of the format's name in the header of a tar */
};

enum eds_container {
	EDS_CONTAINER_OTHER, /* text, a picture, nothing */
	EDS_CONTAINER_GZIP,  /* RFC 1952 section 2.3.1 */
	EDS_CONTAINER_ZIP,   /* a local file header, or the end record of an empty one */
	EDS_CONTAINER_TAR,  /* in the POSIX (ustar, pax) and GNU formats; older ones have no mark */
	EDS_CONTAINER_XML,  /* in any encoding, see xml-encoding.h */
	EDS_CONTAINER_JSON, /* an object */
};

enum eds_container eds_container_kind(const char *bytes, size_t length);

/* Reads the contents of one part or member. level: number of containers around it. */
void eds_intake_container(
	struct eds_intake *intake, struct eds_source *source, const char *file, unsigned level);

#endif

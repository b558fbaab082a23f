/* Checks a mail before GMime reads it. GMime has no limits of its own: it recurses on nested groups
 * of addresses and keeps every part. The scan works line by line; where it cannot be exact, it is
 * rather too strict. Still, with headers that no mail program writes, a sender can hide parts from
 * the scan; the child's resource limits cover that case. */
#ifndef EDS_REPORTS_MIME_SCAN_H
#define EDS_REPORTS_MIME_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum {
	EDS_MIME_GROUPS_MAX = 100,  /* maximum number of colons in one field of addresses; each
				     * group has one */
	EDS_MIME_FIELDS_MAX = 1000, /* maximum number of fields in one header block */
};

/* The cost of reading a mail. */
struct eds_mime_cost {
	size_t parts;
	size_t fields;        /* fields of all header blocks, with those of the parts */
	size_t header_octets; /* octets of all header blocks */
};

/* Adds the cost of the mail to *cost. False, and nothing is added, when the mail exceeds a limit of
 * reader.h (header, field, parts, levels) or of this file. */
bool eds_mime_scan(const char *mail, size_t length, struct eds_mime_cost *cost);

#endif

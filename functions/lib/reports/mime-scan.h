/* A look at a mail before GMime gets it, which has no limits of its own: it recurses on nested
 * groups of addresses and keeps every part. Line by line, and rather too strict than too lenient:
 * what a sender could hide from it by writing headers that no program writes, the limits of the
 * child bound. */
#ifndef EDS_REPORTS_MIME_SCAN_H
#define EDS_REPORTS_MIME_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum {
	EDS_MIME_GROUPS_MAX = 100,  /* colons of one field of addresses */
	EDS_MIME_FIELDS_MAX = 1000, /* of one header block */
};

/* False when the mail passes a limit of reader.h (header, field, parts, levels) or one above. */
bool eds_mime_scan(const char *mail, size_t length);

#endif

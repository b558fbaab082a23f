/* What is kept of the looks at a domain, from one to the next: every item as it was seen last, and
 * the records that bring reports.
 *
 * DNS that gives no answer now says nothing about what is published. So an item that could not be
 * looked at whole stays as it was for an hour, and is shown with the age of the look that saw it;
 * then it is unknown. What counts as a change is state, published record (its lines in any order,
 * as name servers turn them) and codes of findings, between two looks that saw all of the item.
 */
#ifndef EDS_POSTURE_STORED_H
#define EDS_POSTURE_STORED_H

#include "functions/lib/posture/posture.h"

enum {
	EDS_POSTURE_KEPT_MS = 3600 * 1000,
	EDS_POSTURE_STORED_MAX = 128 * 1024,  /* octets of a domain's items; past it details go */
	EDS_POSTURE_CHANGE_RECORD_MAX = 2048, /* octets of a record in the history */
};

/* As the store keeps it (store/posture/posture.h). */
struct eds_posture_memory {
	int64_t checked_at_ms; /* 0: never */
	int64_t changed_at_ms;
	const char *state;
	const char *items; /* JSON arrays */
	const char *records;
};

struct eds_posture_facet { /* of an item, what changes are told by */
	const char *state;
	const char *record; /* NULL: none */
	const char *codes;  /* sorted, with a space between */
};

struct eds_posture_difference {
	enum eds_posture_subject subject;
	struct eds_posture_facet old;
	struct eds_posture_facet now;
};

struct eds_posture_update {
	struct eds_posture_memory after;
	bool same; /* nothing but the time is another */
	bool kept; /* something was not answered now, and stays as it was */
	struct eds_posture_difference differences[EDS_POSTURE_SUBJECTS];
	size_t difference_count;
};

/* The memory after a look at this time. What before holds that cannot be read counts as never seen.
 * JSON is made in ctx's memory. */
void eds_posture_remember(struct rt_ctx *ctx, const struct eds_posture_memory *before,
	const struct eds_posture *look, int64_t now_ms, struct eds_posture_update *update);

#endif

/* The stored state of a domain from one look to the next: every item as last seen, and the records
 * that direct reports to this service.
 *
 * A DNS failure says nothing about the published records. So an item that could not be seen
 * completely keeps its old state for an hour, shown with the time of the look that saw it; after
 * that it is unknown. A change is a difference in state, published record (in any order of lines,
 * since name servers rotate them) or codes of findings, between two looks that saw the item
 * completely.
 *
 * An item that was postponed keeps its old state for a day, if DNS answered all other questions
 * about it.
 *
 * A domain's first look searches for the selectors of its providers. If DNS did not answer, the
 * looks of the next hour search again; later looks do not, so that a selector which the owner has
 * removed from the domain's list does not come back.
 */
#ifndef EDS_POSTURE_STORED_H
#define EDS_POSTURE_STORED_H

#include "functions/lib/posture/posture.h"

enum {
	EDS_POSTURE_KEPT_MS = 3600 * 1000,
	EDS_POSTURE_POSTPONED_MS = 24 * 3600 * 1000,
	EDS_POSTURE_SEARCH_MS = 3600 * 1000,
	EDS_POSTURE_STORED_MAX = 128 * 1024,  /* maximum number of octets of a domain's items; from
					       * larger items the details, and then most findings,
					       * are removed */
	EDS_POSTURE_CHANGE_RECORD_MAX = 2048, /* maximum number of octets of a record in the
					       * history */
};

/* The stored state of a domain (store/posture/posture.h). */
struct eds_posture_memory {
	int64_t checked_at_ms; /* time of the latest look; 0 if there was none */
	int64_t changed_at_ms;
	const char *state;
	const char *items;   /* JSON array */
	const char *records; /* JSON array */
};

struct eds_posture_facet { /* the part of an item that is compared to detect changes */
	const char *state;
	const char *record; /* the published records; NULL for none */
	const char *codes;  /* codes of the findings, sorted and separated by spaces */
};

struct eds_posture_difference {
	enum eds_posture_subject subject;
	struct eds_posture_facet old;
	struct eds_posture_facet now;
};

struct eds_posture_update {
	struct eds_posture_memory after;
	bool same;           /* only the time of the look has changed */
	bool unanswered;     /* an item that counts for the domain's state is unknown, or one of
			      * its findings is */
	bool kept;           /* an item had no complete answer, and keeps its old state */
	bool postponed;      /* an item was postponed */
	bool selectors_open; /* the search for selectors is not complete; the next check of the
			      * domain continues it */
	struct eds_posture_difference differences[EDS_POSTURE_SUBJECTS];
	size_t difference_count;
};

/* True when the domain's next look should search for selectors. */
bool eds_posture_searches(struct rt_ctx *ctx, const struct eds_posture_memory *memory);

/* Computes the stored state after a look at now_ms. Parts of `before` that cannot be parsed count
 * as never seen. JSON is made in the memory that RT_JSON_MEMORY() has chosen. */
void eds_posture_remember(struct rt_ctx *ctx, const struct eds_posture_memory *before,
	const struct eds_posture *look, int64_t now_ms, struct eds_posture_update *update);

#endif

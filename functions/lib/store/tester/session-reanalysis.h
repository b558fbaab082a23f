/* One analysis of a session at a time on request, and a pause after it; of one client no more than
 * its share, whatever number of sessions it made. */
#ifndef EDS_SESSION_REANALYSIS_H
#define EDS_SESSION_REANALYSIS_H

#include "functions/lib/store/store.h"

/* The right to analyse a live session's message anew: one at a time. RT_LIMIT "reanalyzed-just-now"
 * (retry_after_s set) while another analysis holds it, for EDS_REANALYZE_LEASE_MS at most, and for
 * EDS_REANALYZE_PAUSE_MS after it was given back; "too-many-reanalyses" (retry_after_s set) when
 * the client, counted as for a new session, has used up its per_hour, which come back one by one;
 * per_hour 0: no limit. RT_NOT_FOUND "session-not-found". */
RT_MUST_USE rt_status eds_store_reanalysis_begin(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *client, int per_hour);
RT_MUST_USE rt_status eds_store_reanalysis_end(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id);

#endif

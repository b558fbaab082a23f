/* Limits reanalysis on request: one at a time per session with a pause after it, and a share per
 * client, however many sessions it made. */
#ifndef EDS_SESSION_REANALYSIS_H
#define EDS_SESSION_REANALYSIS_H

#include "functions/lib/store/store.h"

/* Takes the right to analyze a live session's message again; one caller has it at a time. RT_LIMIT
 * "reanalyzed-just-now" (retry_after_s set) while another analysis has it, for
 * EDS_REANALYZE_LEASE_MS at most, and for EDS_REANALYZE_PAUSE_MS after it was given back;
 * "too-many-reanalyses" (retry_after_s set) when the client, counted as for a new session, has used
 * up its per_hour reanalyses, which become available again one by one; per_hour 0: no limit.
 * RT_NOT_FOUND "session-not-found". */
RT_MUST_USE rt_status eds_store_reanalysis_begin(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *client, int per_hour);
RT_MUST_USE rt_status eds_store_reanalysis_end(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id);

#endif

/* The alerts for a selector whose check found a change: a valid key has become invalid (broken), an
 * invalid one is valid again (recovered), or the valid key differs from the last known one
 * (changed). */
#ifndef EDS_SELECTOR_NEWS_H
#define EDS_SELECTOR_NEWS_H

#include "functions/lib/store/selectors/selector.h"

/* Writes the alerts, in ctx's memory, from `due` and its check. The outcome of the check must be
 * EDS_DUE_CHANGED. first_error: the first error of the check, as a sentence; NULL if none. */
struct eds_alert_all_news eds_selector_news(
	struct rt_ctx *ctx, const struct eds_selector_due *due, const char *first_error);

#endif

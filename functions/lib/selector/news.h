/* What alerts are told of a selector whose check found a change: that a valid key is none any more
 * (broken), that it is valid again (recovered), and that it is another valid key than the last that
 * was known. */
#ifndef EDS_SELECTOR_NEWS_H
#define EDS_SELECTOR_NEWS_H

#include "functions/lib/store/selectors/selector.h"

/* Of due and its check, whose outcome is EDS_DUE_CHANGED; in ctx's memory. first_error is a
 * sentence, or NULL. */
struct eds_alert_all_news eds_selector_news(
	struct rt_ctx *ctx, const struct eds_selector_due *due, const char *first_error);

#endif

/* News for alerts. The code that detects a change makes the news before it writes the change; the
 * store adds it to the outbox in the transaction that writes the change. */
#ifndef EDS_STORE_ALERT_NEWS_H
#define EDS_STORE_ALERT_NEWS_H

#include "functions/lib/store/alerts/alert.h"

/* One news item of one domain. */
struct eds_alert_news {
	enum eds_alert_event event;
	const char *subject; /* "selector s1", "mta-sts", "dmarc": broken and recovered are paired
				by it */
	const char *change;  /* unique among the changes of the domain */
	const char *body;    /* JSON, as it is sent */
};

struct eds_alert_all_news {
	const struct eds_alert_news *items;
	size_t count;
};

#endif

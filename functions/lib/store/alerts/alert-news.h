/* News: the events that alerts report. The code that detects a change makes the news before it
 * writes the change; the store adds the news to the outbox in the transaction that writes the
 * change. */
#ifndef EDS_STORE_ALERT_NEWS_H
#define EDS_STORE_ALERT_NEWS_H

#include "functions/lib/store/alerts/alert.h"

/* One event of a domain, to be reported. */
struct eds_alert_news {
	enum eds_alert_event event;
	const char *subject; /* what has changed, such as "selector s1" or "mta-sts"; a recovery
			      * ends the trouble of the same subject */
	const char *change;  /* identifies the change among all changes of the domain */
	const char *body;    /* the JSON to send */
};

struct eds_alert_all_news {
	const struct eds_alert_news *items;
	size_t count;
};

#endif

/* The header fields the tester looks at: Message-ID, Date, and what bulk mail should carry. */
#ifndef TESTER_HEADERS_H
#define TESTER_HEADERS_H

#include "functions/lib/mail/header.h"

enum {
	DATE_FUTURE_MS = 5 * 60 * 1000,          /* clocks may differ by this much */
	DATE_FAR_FUTURE_MS = 3 * 60 * 60 * 1000, /* filters count a later one against the message */
	DATE_PAST_MS = 4 * 24 * 60 * 60 * 1000,  /* and an earlier one; a queue may take days */
};

enum date_state {
	DATE_OK,
	DATE_MISSING,
	DATE_FUTURE,
	DATE_PAST, /* readable, but days before receipt */
	DATE_UNREADABLE,
	DATE_UNKNOWN, /* not seen, but the header was not read to its end */
};

struct headers_result {
	const char *message_id;  /* as written, NULL when absent or empty */
	bool message_id_missing; /* false while the header was not read to its end */
	bool message_id_odd;     /* not of the form <left@right> (RFC 5322 section 3.6.4) */
	const char *subject;     /* unfolded, NULL when absent */
	bool subject_missing; /* absent or empty; false while the header was not read to its end */
	bool handed_in;       /* no mail server has taken the message: it has no Received field */
	enum date_state date;
	int64_t date_ms;       /* epoch, with DATE_OK, DATE_FUTURE and DATE_PAST */
	const char *passed_on; /* a field that forwarders and mailing lists add; NULL: none */
	bool of_list;          /* it has List-Id or List-Post */
	const char *limit;     /* "" or why the header was not read to its end */
};

/* Fills *result; judges Date against the time of receipt. */
void headers_check(struct rt_ctx *ctx, const struct eds_header *header, int64_t received_at_ms,
	struct headers_result *result);

const char *date_state_name(enum date_state state); /* "ok", "missing", … */

#endif

/* Findings about the header: Message-ID, Date, Subject, and the fields that show who has handled
 * the message. */
#ifndef TESTER_HEADERS_H
#define TESTER_HEADERS_H

#include "functions/lib/mail/header.h"

enum {
	DATE_FUTURE_MS = 5 * 60 * 1000, /* tolerated difference between two clocks */
	/* filters penalize a message whose Date is later than the receipt by more than this */
	DATE_FAR_FUTURE_MS = 3 * 60 * 60 * 1000,
	/* filters penalize a message whose Date is earlier than the receipt by more than this; mail
	 * may wait in a queue for days */
	DATE_PAST_MS = 4 * 24 * 60 * 60 * 1000,
};

enum date_state {
	DATE_OK,
	DATE_MISSING,
	DATE_FUTURE,
	DATE_PAST, /* the Date is readable, but days before receipt */
	DATE_UNREADABLE,
	DATE_UNKNOWN, /* no Date was found, but the header was not read to its end */
};

struct headers_result {
	const char *message_id; /* the Message-ID as written; NULL when absent or empty */
	/* there is no Message-ID; false if the header was not read to its end */
	bool message_id_missing;
	bool message_id_odd; /* the Message-ID does not have the form <left@right> */
	const char *subject; /* the Subject, unfolded; NULL when absent or empty */
	/* Subject is absent or empty; false if the header was not read to its end */
	bool subject_missing;
	bool handed_in; /* the message has no Received field: no mail server has taken it yet */
	enum date_state date;
	int64_t date_ms; /* epoch ms; valid for DATE_OK, DATE_FUTURE and DATE_PAST */
	/* name of a field that forwarders and mailing lists add; NULL: none */
	const char *passed_on;
	bool of_list;      /* the message has List-Id or List-Post */
	const char *limit; /* why the header was not read to its end; "" if it was */
};

/* Fills *result; judges Date against the time of receipt. */
void headers_check(struct rt_ctx *ctx, const struct eds_header *header, int64_t received_at_ms,
	struct headers_result *result);

const char *date_state_name(enum date_state state); /* name of the state: "ok", "missing", … */

#endif

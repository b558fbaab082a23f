/* The opinion of another spam filter, rspamd, on the same message. Without the setting EDS_RSPAMD,
 * which has the address of the operator's rspamd, there is no such opinion.
 *
 *     POST /checkv2 HTTP/1.1           {"score": 4.2, "required_score": 15, "action": "no action",
 *     IP: 192.0.2.1                     "symbols": {"R_SPF_ALLOW": {"name": "R_SPF_ALLOW",
 *     Hostname: mail.example.com          "score": -0.2,
 *     Helo: mail.example.com              "description": "SPF verification allows …"}, …},
 *     From: someone@example.com         …}
 *     Rcpt: TESTID@tester.example
 *
 * The opinion is shown beside our own result and does not change it. rspamd is asked while our own
 * checks run, and an analysis waits OPINION_TIME_MS for it at most, even if rspamd is down, slow or
 * broken. Its answer is read with limits, like untrusted input.
 */
#ifndef TESTER_SECOND_OPINION_H
#define TESTER_SECOND_OPINION_H

#include "functions/lib/fetch/ask.h"
#include "runtime/json.h"

enum {
	OPINION_TIME_MS = 3000,
	OPINION_ANSWER_BYTES_MAX = 256 * 1024,
	/* maximum number of symbols shown: those with the largest scores, positive or negative */
	OPINION_SYMBOLS_MAX = 60,
	OPINION_NAME_MAX = 80, /* maximum number of octets of a symbol's name, and of the action */
	OPINION_DESCRIPTION_MAX = 200,
};

struct opinion_symbol {
	const char *name;
	double score;
	const char *description; /* what the symbol means; "" if rspamd does not say */
};

struct second_opinion {
	bool asked;          /* rspamd was asked, because EDS_RSPAMD is set */
	const char *failure; /* sentence that says why there is no answer; NULL when there is one */
	double score;
	double required; /* the score from which rspamd would reject a message */
	const char *action;
	struct opinion_symbol symbols[OPINION_SYMBOLS_MAX];
	size_t symbol_count;
	size_t other_symbols; /* number of symbols that are not shown */
};

struct opinion_question {
	/* address of the client; "" if not known, like hostname and helo */
	const char *client_ip;
	const char *hostname; /* the client's confirmed reverse name */
	const char *helo;
	const char *mail_from;
	const char *const *recipients;
	size_t recipient_count;
	const char *message; /* the message; borrowed until second_opinion_end() */
	size_t length;
};

/* Fills *ask with the HTTP request. Text that the sender wrote cannot add header fields to it. */
void second_opinion_word(
	struct rt_ctx *ctx, const struct opinion_question *question, struct eds_ask_question *ask);

bool second_opinion_wanted(void); /* true if EDS_RSPAMD is set */

struct eds_ask *second_opinion_begin(struct rt_ctx *ctx, const struct opinion_question *question);
/* Waits for the answer and fills *opinion. ask: NULL when rspamd was not asked. */
void second_opinion_end(struct rt_ctx *ctx, struct eds_ask *ask, struct second_opinion *opinion);

#endif

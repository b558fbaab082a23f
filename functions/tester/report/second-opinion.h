/* What another filter says of the same message: rspamd, where the operator has one (EDS_RSPAMD).
 *
 *     POST /checkv2 HTTP/1.1           {"score": 4.2, "required_score": 15, "action": "no action",
 *     IP: 192.0.2.1                     "symbols": {"R_SPF_ALLOW": {"name": "R_SPF_ALLOW",
 *     Hostname: mail.example.com         "score": -0.2, "description": "SPF verification allows
 * …"}, Helo: mail.example.com             …}, …} From: someone@example.com Rcpt:
 * TESTID@tester.example
 *
 * It is shown beside our own result and changes nothing of it. It is asked while the rest is
 * judged, and waited for OPINION_TIME_MS at most: away, slow or wrong, it costs no more than that.
 * Its answer is read with bounds, as one from a stranger.
 */
#ifndef TESTER_SECOND_OPINION_H
#define TESTER_SECOND_OPINION_H

#include "functions/lib/fetch/ask.h"
#include "runtime/json.h"

enum {
	OPINION_TIME_MS = 3000,
	OPINION_ANSWER_BYTES_MAX = 256 * 1024,
	OPINION_SYMBOLS_MAX = 60, /* shown, those that weigh most */
	OPINION_NAME_MAX = 80,    /* octets of a symbol's name and of the action */
	OPINION_DESCRIPTION_MAX = 200,
};

struct opinion_symbol {
	const char *name;
	double score;
	const char *description; /* "" for none */
};

struct second_opinion {
	bool asked;          /* EDS_RSPAMD is set */
	const char *failure; /* NULL when there is an answer; a sentence */
	double score;
	double required; /* from which on rspamd would reject */
	const char *action;
	struct opinion_symbol symbols[OPINION_SYMBOLS_MAX];
	size_t symbol_count;
	size_t other_symbols; /* more of them */
};

struct opinion_question {
	const char *client_ip; /* "" where it is not known, and so with the others */
	const char *hostname;  /* its confirmed reverse name */
	const char *helo;
	const char *mail_from;
	const char *const *recipients;
	size_t recipient_count;
	const char *message; /* borrowed until the end */
	size_t length;
};

/* What is asked, in HTTP: what the sender wrote stays a value of one field. */
void second_opinion_word(
	struct rt_ctx *ctx, const struct opinion_question *question, struct eds_ask_question *ask);

bool second_opinion_wanted(void); /* EDS_RSPAMD is set */

struct eds_ask *second_opinion_begin(struct rt_ctx *ctx, const struct opinion_question *question);
/* ask: NULL when nobody was asked. */
void second_opinion_end(struct rt_ctx *ctx, struct eds_ask *ask, struct second_opinion *opinion);

#endif

/* Advice: for every rule that scored, what to do, with the DNS record to publish where there is
 * one.
 *
 *     {"code": "ptr-missing", "severity": "action", "rule": "PTR_MISSING", "message": "…",
 *      "record": {"name": "1.2.0.192.in-addr.arpa", "type": "PTR", "value": "mail.example.com."}}
 */
#ifndef TESTER_ADVICE_H
#define TESTER_ADVICE_H

#include "functions/tester/analysis.h"

enum {
	ADVICE_MAX = 64,
};

/* Of what failed for now: another look may see it. */
#define ADVICE_LATER " Analyse the message again later."

enum advice_severity {
	ADVICE_URGENT, /* receivers refuse such mail whatever the score says */
	ADVICE_ACTION, /* costs points, or will */
	ADVICE_NOTE,   /* worth knowing */
	ADVICE_GOOD,   /* keep it so */
};

struct advice_record { /* a DNS record to publish; type NULL: none */
	const char *name;
	const char *type;
	const char *value; /* NULL: only its owner knows it */
};

struct advice {
	enum advice_severity severity;
	enum tester_rule rule; /* TESTER_NO_RULE when no points hang on it */
	const char *code;
	const char *message;
	struct advice_record record;
	json_t *evidence; /* an object, or NULL */
};

struct advice_list {
	struct rt_ctx *ctx;
	struct advice items[ADVICE_MAX];
	size_t count;
};

/* Adds one and returns it, so that the caller can attach a record; past the maximum it is lost. */
struct advice *advice_add(struct advice_list *list, enum advice_severity severity,
	enum tester_rule rule, const char *code, const char *format, ...) RT_PRINTF(5, 6);

/* All of it: urgent first, then by the points a thing costs, then notes, then what is good. */
json_t *advice_json(struct rt_ctx *ctx, const struct analysis *analysis);

#endif

/* Advice: what to do about every rule that gave points, with the DNS record to publish where there
 * is one.
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

/* The last sentence of advice on a lookup that failed temporarily. */
#define ADVICE_LATER " Analyze the message again later."

enum advice_severity {
	ADVICE_URGENT, /* receivers refuse such mail, whatever its score */
	ADVICE_ACTION, /* should be corrected; most findings of this kind cost points */
	ADVICE_NOTE,   /* worth knowing */
	ADVICE_GOOD,   /* nothing needs to be done */
};

struct advice_record { /* a DNS record to publish; type NULL: none */
	const char *name;
	const char *type;
	const char *value; /* the value to publish; NULL: only the owner of the record knows it */
};

struct advice {
	enum advice_severity severity;
	enum tester_rule rule; /* TESTER_NO_RULE: the finding costs no points */
	const char *code;
	const char *message;
	struct advice_record record;
	json_t *evidence; /* the evidence, a JSON object; NULL for none */
};

struct advice_list {
	struct rt_ctx *ctx;
	struct advice items[ADVICE_MAX];
	size_t count;
};

/* Adds an item and returns it, so that the caller can attach a record. Items past the maximum are
 * dropped. */
struct advice *advice_add(struct advice_list *list, enum advice_severity severity,
	enum tester_rule rule, const char *code, const char *format, ...) RT_PRINTF(5, 6);

/* All advice as an array: urgent items first, then actions, notes and good items. Urgent items keep
 * the order in which they were added. Items of each other severity are sorted by the points that
 * they cost, the most points first. */
json_t *advice_json(struct rt_ctx *ctx, const struct analysis *analysis);

#endif

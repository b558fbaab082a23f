/* The analysis of one message: all findings, the score, and what receivers will do.
 *
 * DNS questions that do not depend on each other are sent together; then serial code judges each
 * part with the answers in the cache. An analysis takes about three DNS round trips. */
#ifndef TESTER_ANALYSIS_H
#define TESTER_ANALYSIS_H

#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dnsbl/dnsbl.h"
#include "functions/lib/mail/form.h"
#include "functions/lib/mail/received.h"
#include "functions/lib/mx.h"
#include "functions/lib/sandbox/sandbox.h"
#include "functions/lib/shape/shape.h"
#include "functions/tester/headers.h"
#include "functions/tester/ptr.h"
#include "functions/tester/report/second-opinion.h"
#include "functions/tester/report/spf-tree.h"
#include "functions/tester/requirements/outlook.h"
#include "functions/tester/requirements/requirements.h"
#include "functions/tester/requirements/unsubscribe.h"
#include "functions/tester/rules.h"

enum {
	ANALYSIS_TIME_MS = 30000,
};

struct analysis {
	int64_t received_at_ms;
	size_t message_bytes;
	struct eds_client client;
	const char *mail_from; /* envelope sender; "" for <> */
	struct eds_from from;
	struct eds_spf_result spf;
	struct eds_spf_result spf_helo;
	/* a TXT record that is meant as SPF but does not begin with v=spf1; NULL for none, and
	 * when there is an SPF record */
	const char *spf_misspelt;
	struct spf_tree spf_tree;
	struct eds_dkim_result dkim;
	struct eds_dmarc_result dmarc;
	struct ptr_result ptr;
	struct eds_mx_result mx;
	struct eds_dnsbl_result lists[RT_DNSBL_KINDS];
	struct headers_result headers;
	const char *display_domain; /* domain of an address in From's display name; NULL for none */
	struct eds_form form;
	struct unsubscribe_result unsubscribe;
	struct tester_score score;
	struct requirements requirements;
	struct outlook outlook;
	struct eds_shape shape;        /* the shape of the message; shown, adds no points */
	struct second_opinion opinion; /* shown, adds no points */
};

/* Reads the message from the mail store and judges it. RT_NOT_FOUND "message-not-found"; RT_LIMIT
 * "message-too-large" for more than bytes_max octets; the failures of eds_verify() and of the mail
 * store. Faults in the sender's mail or DNS are findings, not failures. */
RT_MUST_USE rt_status analysis_run(struct rt_ctx *ctx, const struct rt_mail_event *mail,
	size_t bytes_max, struct analysis *analysis);

/* True when the display name of From shows an address of another organization. False for mail of a
 * mailing list, because lists write "a@example.com via list" there. */
bool analysis_imitates(const struct analysis *analysis);

#endif

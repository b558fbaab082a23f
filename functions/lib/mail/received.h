/* Received fields (RFC 5321 section 4.4) and the client that delivered the message.
 *
 * This is a trust boundary: a field counts only if our own receiver or a trusted relay wrote it. A
 * message may contain any number of forged fields; these change nothing.
 */
#ifndef EDS_MAIL_RECEIVED_H
#define EDS_MAIL_RECEIVED_H

#include "functions/lib/mail/header.h"
#include "runtime/event/event.h"
#include "runtime/ip.h"

struct eds_received {     /* the parts of "from HELO (RDNS [IP]) by HOST with ESMTPS id X; DATE" */
	const char *helo; /* the name in HELO or EHLO; "" when absent */
	const char *rdns; /* reverse name of the client; "" when absent or "unknown" */
	struct rt_ip ip;  /* address of the client; family 0 when absent */
	const char *by;   /* the receiving host in lower case; "" when absent */
	const char *with;
};

/* Reads the value of a Received field; false when it has another form. */
bool eds_received_parse(
	struct rt_ctx *ctx, const char *value, size_t length, struct eds_received *received);

/* Received-SPF as Amazon SES writes it (RFC 7208 section 9.1): client-ip=, helo=, envelope-from=.
 */
struct eds_received_spf {
	struct rt_ip client_ip;
	const char *helo;
	const char *envelope_from;
};

enum eds_tls {
	EDS_TLS_UNKNOWN, /* no trusted source says whether TLS was used */
	EDS_TLS_NONE,
	EDS_TLS_USED,
};

struct eds_client {
	struct rt_ip ip;      /* address of the client; family 0 when not known */
	bool is_public;       /* a public Internet address, so SPF, PTR and blocklists apply */
	const char *helo;     /* name that the client gave in HELO or EHLO; "" when not known */
	bool helo_literal;    /* HELO is an address literal: [192.0.2.1] or [IPv6:…] */
	struct rt_ip helo_ip; /* the address, when HELO is an address literal */
	enum eds_tls tls_use; /* whether the client's connection used TLS */
	const char *tls; /* version and cipher, "TLSv1.3 TLS_AES_256_GCM_SHA384"; "TLS" when these
			  * are unknown; "" unless TLS was used */
	bool smtputf8;   /* delivered with SMTPUTF8 (RFC 6531): the header may be UTF-8 */
	const char *source; /* where the client was found: "envelope", "received", "none" */
};

#endif

/* Received-SPF: pass (spfCheck: …) client-ip=192.0.2.1; envelope-from=a@example.com;
 * helo=mx.example.com; (RFC 7208 section 9.1) */
#ifndef EDS_MAIL_RECEIVED_SPF_H
#define EDS_MAIL_RECEIVED_SPF_H

#include "functions/lib/mail/received.h"

bool eds_received_spf_parse(
	struct rt_ctx *ctx, const char *value, size_t length, struct eds_received_spf *received);

#endif

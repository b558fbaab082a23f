/* The result of one question that was sent: the bytes of the reply, or why there is none. */
#ifndef EDS_DNS_REPLY_H
#define EDS_DNS_REPLY_H

#include "functions/lib/dns/dns.h"

struct eds_dns_reply {
	const uint8_t *bytes; /* the reply; NULL when there is none, and the other members then give
			       * the reason */
	size_t length;
	enum eds_dns_state state; /* EDS_DNS_TEMPORARY, or EDS_DNS_NO_NAME for a name that is never
				     asked on the network */
	enum eds_dns_failure failure;
	const char *reason; /* why there is no reply, a literal; "" with EDS_DNS_NO_NAME */
};

/* A result without a reply; reason must be a string literal. */
static inline struct eds_dns_reply eds_dns_no_reply(
	enum eds_dns_failure failure, const char *reason)
{
	return (struct eds_dns_reply){
		.state = EDS_DNS_TEMPORARY, .failure = failure, .reason = reason};
}

#endif

/* The networks under which a client is counted: an IPv4 address, or an IPv6 /64 and the /48 around
 * it. A provider gives a whole /48, which is 65,536 times a /64, to one customer.
 *
 *     192.0.2.1                     2001:db8:0:5::/64 within 2001:db8::/48
 */
#ifndef EDS_NETWORK_H
#define EDS_NETWORK_H

#include "runtime/ctx.h"
#include "runtime/ip.h"

enum {
	EDS_SITE_SHARES = 2, /* a /48 may use this many times as much as a /64 */
};

struct eds_networks {
	const char *own;  /* the client's network: "192.0.2.1", "2001:db8::/64", or "unknown" */
	const char *site; /* the /48 around an IPv6 client, "2001:db8::/48"; NULL for any other */
};

/* Sets the networks of an address; for any other text those of an unknown client. */
void eds_networks_of(struct rt_ctx *ctx, const char *text, struct eds_networks *networks);

#endif

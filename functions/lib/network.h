/* The networks under which a client is counted: an IPv4 address, or an IPv6 /64 and the /48 around
 * it. Some providers give one customer a whole /48, which has 65,536 networks of the size /64.
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
	const char *site; /* the /48 around an IPv6 client, "2001:db8::/48"; NULL for any other
			   * client */
};

/* Sets the networks of the address in `text`; if text is not an address, sets those of an unknown
 * client. */
void eds_networks_of(struct rt_ctx *ctx, const char *text, struct eds_networks *networks);

#endif

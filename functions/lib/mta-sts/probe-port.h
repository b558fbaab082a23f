/* Decides whether port 25 is closed to this process: many servers are silent and none answers. The
 * silent servers must be in several networks and of several accounts, because the owner of a domain
 * can name any number of silent servers. */
#ifndef EDS_MTA_STS_PROBE_PORT_H
#define EDS_MTA_STS_PROBE_PORT_H

#include "runtime/ctx.h"
#include "runtime/ip.h"

enum {
	EDS_PROBES_SILENT_MAX = 16, /* number of silent servers, while none answers, from which on
				     * the port counts as closed */
	EDS_PROBES_NETWORKS = 4,    /* number of networks (/24, /48) with silent servers from which
				     * on other accounts are affected, too */
	EDS_PROBES_ACCOUNTS = 3,    /* number of accounts with silent servers from which on other
				     * accounts are affected, too */
};

/* The networks of silent servers, at most as many as eds_probes_port_is_closed() requires. */
struct eds_silent_networks {
	struct rt_ip items[EDS_PROBES_NETWORKS];
	size_t count;
};

/* Adds the network of this address, unless it is in the list already or the list is full. */
void eds_silent_networks_add(struct eds_silent_networks *networks, const struct rt_ip *ip);

/* To be called when a server of this account, at this address, accepted no connection in time. */
void eds_probes_port_silent(const char *account, const struct rt_ip *ip);

/* To be called when a mail server has answered; the counts begin anew. */
void eds_probes_port_heard(void);

/* True when port 25 seems closed to this process; logs that once. It seems closed when enough
 * servers were silent since a mail server last answered, in this run or an earlier one:
 * EDS_PROBES_SILENT_MAX servers, in EDS_PROBES_NETWORKS networks, and of EDS_PROBES_ACCOUNTS
 * accounts or, if there are fewer, of all accounts. */
bool eds_probes_port_is_closed(struct rt_ctx *ctx, size_t accounts);

#endif

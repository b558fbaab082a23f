/* Whether port 25 is closed to this process, as the silence of many servers shows: of several
 * networks and accounts, since the owner of a domain can name any number of silent servers. */
#ifndef EDS_MTA_STS_PROBE_PORT_H
#define EDS_MTA_STS_PROBE_PORT_H

#include "runtime/ctx.h"
#include "runtime/ip.h"

enum {
	EDS_PROBES_SILENT_MAX = 16, /* silent servers, and none that answers: the port is blocked */
	EDS_PROBES_NETWORKS = 4,    /* silent /24 and /48 before other accounts are affected */
	EDS_PROBES_ACCOUNTS = 3,
};

/* Networks of silent servers, up to the number needed. */
struct eds_silent_networks {
	struct rt_ip items[EDS_PROBES_NETWORKS];
	size_t count;
};

/* Adds the network of this address, unless it is there. */
void eds_silent_networks_add(struct eds_silent_networks *networks, const struct rt_ip *ip);

/* A server of this account, at this address, accepted no connection in time. */
void eds_probes_port_silent(const char *account, const struct rt_ip *ip);

/* A server has answered. */
void eds_probes_port_heard(void);

/* True when port 25 seems closed to this process, which is logged once: over all runs no mail
 * server has answered and EDS_PROBES_SILENT_MAX were silent, in EDS_PROBES_NETWORKS networks and of
 * EDS_PROBES_ACCOUNTS accounts, or of all accounts if there are fewer. */
bool eds_probes_port_is_closed(struct rt_ctx *ctx, size_t accounts);

#endif

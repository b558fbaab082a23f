/* Decides whether port 25 is closed to this process. It counts as closed when many servers were
 * silent and none answered. The silent servers must be in several networks and belong to domains of
 * several accounts, because the owner of a domain can name any number of silent servers. */
#ifndef EDS_MTA_STS_PROBE_PORT_H
#define EDS_MTA_STS_PROBE_PORT_H

#include "runtime/ctx.h"
#include "runtime/ip.h"

enum {
	/* The least number of silent servers, with none that answered, for which the port counts as
	 * closed. */
	EDS_PROBES_SILENT_MAX = 16,
	/* Silent servers affect the probes of other accounts only if they are in this many networks
	 * (/24, /48) and belong to domains of this many accounts. */
	EDS_PROBES_NETWORKS = 4,
	EDS_PROBES_ACCOUNTS = 3,
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

/* To be called when a mail server was not silent: it accepted or refused the connection, or the
 * network reported that it cannot be reached. All these count as an answer. The counts begin
 * anew. */
void eds_probes_port_heard(void);

/* True when port 25 seems closed to this process. Writes this to the log once; after an answer it
 * may do so again. The port seems closed when, since a mail server last answered,
 * EDS_PROBES_SILENT_MAX servers were silent; they must be in EDS_PROBES_NETWORKS networks and
 * belong to domains of EDS_PROBES_ACCOUNTS accounts. If there are fewer accounts (`accounts`), all
 * of them must have silent servers. Earlier runs count, too. */
bool eds_probes_port_is_closed(struct rt_ctx *ctx, size_t accounts);

#endif

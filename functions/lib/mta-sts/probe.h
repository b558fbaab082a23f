/* Whether mail servers do STARTTLS with a certificate that names them (RFC 8461 section 4.2), each
 * asked once however many domains it serves.
 *
 * Some machines may not connect to port 25 at all: when the first servers asked all keep silent,
 * the others are not waited for, and are unknown. But whoever owns a domain names its servers, and
 * may name silent ones. So what the servers of one account tell is believed of that account's
 * alone; of all others only what servers in several networks, of several accounts, agree in.
 */
#ifndef EDS_MTA_STS_PROBE_H
#define EDS_MTA_STS_PROBE_H

#include "functions/lib/mta-sts/seen.h"

struct eds_fetcher;
struct eds_probes;

enum {
	EDS_PROBES_AT_ONCE = 64,
	EDS_PROBES_SILENT_MAX = 16, /* that many without one that answers: the port is blocked */
	EDS_PROBES_NETWORKS = 4, /* /24 and /48 that they must lie in, for others to believe it */
	EDS_PROBES_ACCOUNTS = 3,
};

struct eds_probes *eds_probes_new(struct rt_ctx *ctx, struct eds_fetcher *fetcher);

/* account: whose domain it is asked for. mx: host is set, the rest is filled in before done is
 * called: by a turn of the fetcher, or at once when the server was asked before. */
void eds_probes_ask(struct eds_probes *probes, const char *account, struct eds_mta_sts_mx *mx,
	void (*done)(void *arg), void *arg);

/* Begins what there is a place for; to be called before each turn. */
void eds_probes_turn(struct eds_probes *probes);

/* Whether this process has heard no mail server at all and EDS_PROBES_SILENT_MAX kept silent, in
 * whatever runs, which lie in EDS_PROBES_NETWORKS and are of EDS_PROBES_ACCOUNTS, or of all of the
 * accounts that there are: then port 25 is closed to it, which is logged once. */
bool eds_probes_port_is_closed(struct rt_ctx *ctx, size_t accounts);

/* What has not begun ends as unknown. */
void eds_probes_cancel(struct eds_probes *probes);

#endif

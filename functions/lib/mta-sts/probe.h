/* Probes whether mail servers offer STARTTLS with a certificate that names them (RFC 8461 section
 * 4.2); each server is probed once, even if it serves many domains.
 *
 * Some machines cannot connect to port 25 at all. So when none of the first servers answers, the
 * remaining servers are not probed, and their result is "unknown". But the owner of a domain
 * chooses the mail servers of the domain, and can choose silent ones. So silent servers at first
 * stop only the probes for their own account; they stop the probes for all accounts when they are
 * in several networks and belong to several accounts (probe-port.h). The owner can also make many
 * names lead to one address, so the connections to an address are limited (addresses.h). When a
 * server must not be probed for one account, it is probed for the next account that waits for its
 * result.
 */
#ifndef EDS_MTA_STS_PROBE_H
#define EDS_MTA_STS_PROBE_H

#include "functions/lib/mta-sts/addresses.h"
#include "functions/lib/mta-sts/seen.h"

struct eds_fetcher;
struct eds_probes;

enum {
	EDS_PROBES_AT_ONCE = 64, /* maximum number of probes that are under way at a time */
};

struct eds_probes *eds_probes_new(
	struct rt_ctx *ctx, struct eds_fetcher *fetcher, const struct eds_address_hours *hours);

/* Asks for the result of mx->host, for a domain of this account; then sets the result in mx and
 * calls done. This happens later, in eds_probes_turn(), eds_fetch_turn() or eds_probes_cancel(), or
 * at once when the result is already known. The caller keeps account and mx in memory until done is
 * called. */
void eds_probes_ask(struct eds_probes *probes, const char *account, struct eds_mta_sts_mx *mx,
	void (*done)(void *arg), void *arg);

/* Begins the probes that wait, until EDS_PROBES_AT_ONCE are under way; call it before each
 * eds_fetch_turn(). Returns the maximum time that this eds_fetch_turn() may wait, in milliseconds
 * and at most max_ms. */
int eds_probes_turn(struct eds_probes *probes, int max_ms);

/* Ends the probes that have not begun, and those that wait for a place at an address; their result
 * is "unknown". */
void eds_probes_cancel(struct eds_probes *probes);

#endif

/* The addresses that probes of mail servers connect to. The owner of a domain chooses the names of
 * its servers and can let thousands of them lead to the address of somebody else. So only few
 * probes connect to an address at once, each account may cause a limited number of connections to
 * it in an hour, and a waiting probe gets the result of the probe before it when that result holds
 * for it, too.
 */
#ifndef EDS_MTA_STS_PROBE_ADDRESS_H
#define EDS_MTA_STS_PROBE_ADDRESS_H

#include "functions/lib/fetch/fetch.h"

enum {
	EDS_PROBES_ADDRESS_AT_ONCE = 4,
	EDS_PROBES_ADDRESS_HOUR = 1024, /* connections for an account; counted per process */
};

struct eds_probe_addresses;

struct eds_probe_addresses *eds_probe_addresses_new(struct rt_ctx *ctx);

enum eds_probe_turn {
	EDS_PROBE_NOW,
	EDS_PROBE_LATER, /* when another probe has ended */
	EDS_PROBE_NEVER, /* the account has used up its hour at this address */
};

/* Takes a place at every address of this fetch, and counts it for the account, if it may begin
 * now. */
enum eds_probe_turn eds_probe_begin(
	struct eds_probe_addresses *addresses, const struct eds_fetch *fetch, const char *account);

/* Gives the places back. */
void eds_probe_end(struct eds_probe_addresses *addresses, const struct eds_fetch *fetch);

/* Whether the outcome of one fetch is also that of another that has not begun: its certificate is
 * valid for the other's host at an address of both; or the server failed before it learned the name
 * that it was asked for, and the other has the same addresses. */
bool eds_probe_tells(const struct eds_fetched *fetched, const struct eds_fetch *fetch,
	const struct eds_fetch *other);

#endif

/* The addresses that checks connect to, of mail servers and of policy hosts. The owner of a domain
 * chooses their names and can let thousands of them lead to the address of somebody else. So only
 * few connections of a process to an address are open at once, and each account may cause a limited
 * number of them in an hour, over all processes. A waiting probe of a mail server gets the result
 * of the probe before it when that result holds for it, too.
 *
 * An account may hold no more places at an address than are left free: alone it holds half of them,
 * so that names of one account do not keep those of others waiting.
 *
 * IPv6 addresses count by their /64, as one machine may have all of these. What is open at once is
 * counted by each process alone: to count it for all of them would cost a write for each
 * connection. The hour is counted in the database, in shares, after the first connections.
 */
#ifndef EDS_MTA_STS_ADDRESSES_H
#define EDS_MTA_STS_ADDRESSES_H

#include "functions/lib/fetch/fetch.h"

enum {
	EDS_ADDRESS_AT_ONCE = 8,          /* half of them for one account */
	EDS_ADDRESS_HOUR_SERVERS = 1024,  /* connections for an account */
	EDS_ADDRESS_HOUR_POLICIES = 4096, /* more, because policies are fetched hourly */
	EDS_ADDRESS_ALONE = 64, /* that a process makes before it asks for a share of the hour */
	EDS_ADDRESS_SHARE = 64,
	/* A connection that waited for its turn for so long is given up, so that a slow server
	 * does not hold the checks that wait for it. */
	EDS_ADDRESS_WAIT_MS = 15 * 1000,
};

enum eds_address_kind {
	EDS_ADDRESS_SERVERS,
	EDS_ADDRESS_POLICIES,
};

/* The hours of accounts at addresses, which all processes share. */
struct eds_address_hours {
	/* Takes so many connections from the hour of the account for this ("policy 192.0.2.1");
	 * false when that would be more than max. */
	bool (*take)(void *arg, const char *account, const char *what, int count, int max);
	void *arg;
};

struct eds_addresses;

/* hours: NULL when this process is the only one. */
struct eds_addresses *eds_addresses_new(
	struct rt_ctx *ctx, enum eds_address_kind kind, const struct eds_address_hours *hours);

enum eds_address_turn {
	EDS_ADDRESS_NOW,
	EDS_ADDRESS_LATER, /* when another connection has ended */
	EDS_ADDRESS_NEVER, /* the account has used up its hour at this address */
};

/* Takes a place at every address of this fetch, and counts it for the account, if it may begin
 * now. */
enum eds_address_turn eds_address_begin(
	struct eds_addresses *addresses, const struct eds_fetch *fetch, const char *account);

/* Gives the account's places back. */
void eds_address_end(
	struct eds_addresses *addresses, const struct eds_fetch *fetch, const char *account);

/* Whether the outcome of one probe of a mail server is also that of another that has not begun: its
 * certificate is valid for the other's host at an address of both; or the server failed before it
 * learned the name that it was asked for, and the other has the same addresses. */
bool eds_address_tells(const struct eds_fetched *fetched, const struct eds_fetch *fetch,
	const struct eds_fetch *other);

#endif

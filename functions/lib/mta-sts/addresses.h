/* Limits the connections of checks to the addresses of mail servers and policy hosts. The owner of
 * a domain chooses the names of these servers and can let thousands of names lead to the address of
 * somebody else. So a process has only a few connections to an address open at a time; each open
 * connection holds a place. And an account may cause only a limited number of connections to an
 * address in an hour, over all processes. When the probe of a mail server ends, its result is also
 * given to each waiting probe for which it holds.
 *
 * An account gets another place at an address only while it holds fewer places there than are free.
 * A single account thus holds at most half of the places, so one account cannot block all others.
 *
 * IPv6 addresses of one /64 count as one address, as one machine may have all of them. Each process
 * counts only its own open connections, because a common count would cost a write for each
 * connection. address-hour.h counts the connections of an hour.
 */
#ifndef EDS_MTA_STS_ADDRESSES_H
#define EDS_MTA_STS_ADDRESSES_H

#include "functions/lib/address-hour.h"
#include "functions/lib/fetch/fetch.h"

enum {
	EDS_ADDRESS_AT_ONCE = 8, /* number of places at an address for one kind of check: at most
				  * this many connections of this kind are open at a time */
	/* Longest wait for a place. After this time the connection is given up, so that a slow
	 * server does not delay the checks that wait for a place at its address. */
	EDS_ADDRESS_WAIT_MS = 15 * 1000,
};

struct eds_addresses;

/* Makes the object that counts the connections of checks of this kind, in ctx's memory. hours: the
 * count that all processes share; NULL when this process is the only one. */
struct eds_addresses *eds_addresses_new(
	struct rt_ctx *ctx, enum eds_address_kind kind, const struct eds_address_hours *hours);

enum eds_address_turn {
	EDS_ADDRESS_NOW,   /* the fetch has its places and may begin */
	EDS_ADDRESS_LATER, /* try again when another connection has ended */
	EDS_ADDRESS_NEVER, /* the account has made as many connections to an address in this hour as
			    * it may */
};

/* If the fetch may begin now, takes a place at each of its addresses, and counts a connection of
 * the account to each. */
enum eds_address_turn eds_address_begin(
	struct eds_addresses *addresses, const struct eds_fetch *fetch, const char *account);

/* Frees the places that this fetch holds for the account. */
void eds_address_end(
	struct eds_addresses *addresses, const struct eds_fetch *fetch, const char *account);

/* True when the outcome of a probe of a mail server (fetch) is also that of a second probe (other),
 * which has not begun. There are two such cases. First, the server's certificate is also valid for
 * the host of the second probe, and that host has the address of the server, too. Second, both
 * hosts have the same addresses, and the probe failed for a reason that does not depend on the name
 * of the host: the connection was refused, took too long, or offered no STARTTLS. */
bool eds_address_tells(const struct eds_fetched *fetched, const struct eds_fetch *fetch,
	const struct eds_fetch *other);

/* True when the fetch failed before TLS began with a server at any of its addresses, and the second
 * fetch (other) has the same addresses. The second fetch would then fail in the same way, whatever
 * its host is. */
bool eds_address_is_dead(const struct eds_fetched *fetched, const struct eds_fetch *fetch,
	const struct eds_fetch *other);

#endif

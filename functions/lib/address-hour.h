/* Limits how often an account makes this service use an address within an hour: connect to a mail
 * server or policy host, or ask a name server directly. The owner of a domain chooses the names of
 * these servers and can let thousands of names lead to the address of somebody else.
 *
 * The database counts the uses of all processes. A process makes its first few uses without asking
 * the database. After that, the process reserves EDS_ADDRESS_SHARE uses at a time in the database;
 * such a reservation is called a share. IPv6 addresses of one /64 count as one address, as one
 * machine may have all of them.
 *
 *     key = eds_address_key(&ip);
 *     if (eds_address_hour_has_room(ctx, EDS_ADDRESS_NAME_SERVERS, hours, account, &key))
 *             eds_address_hour_count(EDS_ADDRESS_NAME_SERVERS, account, &key);   (and uses it)
 */
#ifndef EDS_ADDRESS_HOUR_H
#define EDS_ADDRESS_HOUR_H

#include "runtime/ctx.h"
#include "runtime/ip.h"

enum {
	EDS_ADDRESS_HOUR_SERVERS = 1024,      /* maximum number of times that a mail server at an
					       * address is probed for one account in an hour */
	EDS_ADDRESS_HOUR_POLICIES = 4096,     /* maximum number of policy fetches from an address
					       * for one account in an hour; more than probes,
					       * because the policy of a domain is fetched at least
					       * hourly, but a mail server that passes is probed
					       * only daily */
	EDS_ADDRESS_HOUR_NAME_SERVERS = 4096, /* maximum number of questions to the name server at
					       * an address for one account in an hour; as many as
					       * policy fetches, because name servers of a domain
					       * with a fault are asked every hour */
	EDS_ADDRESS_ALONE = 64, /* uses that a process makes before it takes the first share of the
				 * hour's uses from the database */
	EDS_ADDRESS_SHARE = 64, /* number of uses in one share */
};

enum eds_address_kind {
	EDS_ADDRESS_SERVERS,
	EDS_ADDRESS_POLICIES,
	EDS_ADDRESS_NAME_SERVERS,
};

/* The common count of uses by account, address and hour, for all processes. */
struct eds_address_hours {
	/* Adds count to the account's uses in this hour. what: the kind of use and the address
	 * ("policy 192.0.2.1"). If the sum would exceed max, adds nothing and returns false. */
	bool (*take)(void *arg, const char *account, const char *what, int count, int max);
	void *arg;
};

/* Returns the key under which the uses of ip are counted: an IPv4 address unchanged, an IPv6
 * address with only the octets of its /64. The functions below expect such a key. */
struct rt_ip eds_address_key(const struct rt_ip *ip);

/* True once eds_address_hour_has_room() has returned false for this kind, account and key in this
 * hour. Does not ask the database. */
bool eds_address_hour_is_full(
	enum eds_address_kind kind, const char *account, const struct rt_ip *key);

/* True when the account may use the address once more. If the process has no uses left, it first
 * takes another share by hours->take(). hours: NULL when this process is the only one that makes
 * uses. */
bool eds_address_hour_has_room(struct rt_ctx *ctx, enum eds_address_kind kind,
	const struct eds_address_hours *hours, const char *account, const struct rt_ip *key);

/* Counts a use, for which there must be room. */
void eds_address_hour_count(
	enum eds_address_kind kind, const char *account, const struct rt_ip *key);

#endif

/* The name servers of a domain, each queried directly. A resolver queries any of them, so mail
 * fails only sometimes when one of them does not answer, does not serve the zone (a lame
 * delegation, RFC 1912 section 2.8) or has other records.
 *
 * A server counts as silent, or as one that does not serve the zone, only if another one serves the
 * zone over the same version of IP, because the fault may be on our side: this machine may have no
 * IPv6, or a firewall may let only the resolver query.
 *
 * Anybody can publish NS records that name somebody else's servers for many domains. So an account
 * may ask one address only a limited number of questions in an hour (address-hour.h). When these
 * are used up, the server is not asked, and the item is postponed: the stored item stays
 * (stored.h). */
#ifndef EDS_POSTURE_NAME_SERVERS_H
#define EDS_POSTURE_NAME_SERVERS_H

#include "functions/lib/posture/item.h"

/* Adds findings to the zone item. */
void eds_look_name_servers(struct eds_look *look);

#endif

/* Keeps the names of the operator's own network from accounts.
 *
 * The operator's resolver may know names that the public DNS never has: below local, internal and
 * the like. Accounts choose the names that are looked up, directly or by an alias, an MX record or
 * an include of SPF, so an answer could show them hosts and records of that network. Receivers
 * elsewhere find no such name. So the answer is that there is no such name, also for an alias that
 * leads there.
 *
 * A service that receives reports at a name of its own network, for example on a developer's
 * machine, has no strangers as accounts and keeps nothing from them.
 */
#ifndef EDS_DNS_OWN_NAMES_H
#define EDS_DNS_OWN_NAMES_H

#include "functions/lib/dns/dns.h"

/* Whether the service receives reports from strangers (EDS_REPORT_DOMAIN is a name of the public
 * DNS), so that names of the own network are kept from accounts. */
bool eds_dns_keeps_own_names(void);

/* If the chain of aliases passes a name that is not in the public DNS, the answer becomes
 * EDS_DNS_NO_NAME without records, and the chain ends at the first such name. */
void eds_dns_keep_own_name(struct eds_dns_answer *answer);

#endif

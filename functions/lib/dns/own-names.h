/* Hides the names of the operator's own network from accounts.
 *
 * The operator's resolver may know names that the public DNS never has: names below local, internal
 * and the like. Users choose the names that the service looks up, directly or by an alias, an MX
 * record or an include of SPF, so answers could show them hosts and records of the operator's
 * network. Receivers elsewhere find no such name. So the answer for such a name, and for an alias
 * of such a name, is that the name does not exist.
 *
 * A service that receives reports at a name of its own network, for example on a developer's
 * machine, has no strangers among its users and hides nothing from its accounts.
 */
#ifndef EDS_DNS_OWN_NAMES_H
#define EDS_DNS_OWN_NAMES_H

#include "functions/lib/dns/dns.h"

/* Whether the service receives reports from strangers (EDS_REPORT_DOMAIN is a name of the public
 * DNS), so that names of the operator's own network are hidden from accounts. */
bool eds_dns_keeps_own_names(void);

/* If the chain of aliases passes a name that is not in the public DNS, the answer becomes
 * EDS_DNS_NO_NAME without records, and the chain ends at the first such name. */
void eds_dns_keep_own_name(struct eds_dns_answer *answer);

#endif

/* ?search= of the list of domains: a part of a name, in A-labels or in U-labels, in any case.
 *
 * Names are kept in A-labels. "rich" is in xn--zrich-kva.example as it is in zürich.example, but
 * "zür" is not, nor is "rich.ex": names with an A-label are then looked at in U-labels.
 */
#ifndef EDS_DOMAINS_NAME_SEARCH_H
#define EDS_DOMAINS_NAME_SEARCH_H

#include "functions/lib/store/domains/domain.h"

/* Has the query ask for names with the text in them; "" asks for all. */
void domain_search(struct rt_ctx *ctx, const char *text, struct eds_domain_query *wanted);

#endif

/* ?search= of the list of domains: a part of a name, in A-labels or in U-labels, in any case.
 *
 * The store has names in A-labels. "rich" is part of zürich.example and also of its A-labels,
 * xn--zrich-kva.example. "zür" and "rich.ex" are part of its U-labels only, so for such texts the
 * names with A-labels are compared in U-labels too.
 */
#ifndef EDS_DOMAINS_NAME_SEARCH_H
#define EDS_DOMAINS_NAME_SEARCH_H

#include "functions/lib/store/domains/domain.h"

/* Makes the query ask for names that contain the text; "" asks for all names. */
void domain_search(struct rt_ctx *ctx, const char *text, struct eds_domain_query *wanted);

#endif

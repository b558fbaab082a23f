/* ?search= of the list of domains: a part of a name, in A-labels or in U-labels, in any case.
 *
 * The store has names in A-labels. "rich" stands in xn--zrich-kva.example as it does in
 * zürich.example, but "zür" and "rich.ex" do not; for such texts the names with A-labels are
 * compared in U-labels too.
 */
#ifndef EDS_DOMAINS_NAME_SEARCH_H
#define EDS_DOMAINS_NAME_SEARCH_H

#include "functions/lib/store/domains/domain.h"

/* Makes the query ask for names that contain the text; "" asks for all names. */
void domain_search(struct rt_ctx *ctx, const char *text, struct eds_domain_query *wanted);

#endif

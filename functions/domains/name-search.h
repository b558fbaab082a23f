/* ?search= of the list of domains: a part of a name, in A-labels or U-labels, in upper or lower
 * case.
 *
 * The store has zürich.example as xn--zrich-kva.example, its form in A-labels. Both forms contain
 * "rich", but only the form in U-labels contains "zür" and "rich.ex". So a text that has a dot
 * or a character outside ASCII is also looked for in the form in U-labels.
 */
#ifndef EDS_DOMAINS_NAME_SEARCH_H
#define EDS_DOMAINS_NAME_SEARCH_H

#include "functions/lib/store/domains/domain.h"

/* Makes the query ask for names that contain the text; "" asks for all names. */
void domain_search(struct rt_ctx *ctx, const char *text, struct eds_domain_query *wanted);

#endif

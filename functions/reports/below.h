/* Whether a domain is below another; both in lower case, A-labels, no trailing dot. */
#ifndef EDS_REPORTS_BELOW_H
#define EDS_REPORTS_BELOW_H

#include <stdbool.h>

bool report_is_below(const char *name, const char *parent);

#endif

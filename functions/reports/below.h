/* Whether a domain lies below another; both in their own form. */
#ifndef EDS_REPORTS_BELOW_H
#define EDS_REPORTS_BELOW_H

#include <stdbool.h>

bool report_is_below(const char *name, const char *parent);

#endif

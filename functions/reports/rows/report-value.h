/* What a reporter wrote, as it is kept. */
#ifndef EDS_REPORTS_REPORT_VALUE_H
#define EDS_REPORTS_REPORT_VALUE_H

#include <stdint.h>

/* NULL for "". */
const char *report_text(const char *text);

/* A count that somebody claims, bounded so that sums stay sums. */
int64_t report_count(uint64_t count);

#endif

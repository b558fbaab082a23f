/* Converts a reporter's values for the store. */
#ifndef EDS_REPORTS_REPORT_VALUE_H
#define EDS_REPORTS_REPORT_VALUE_H

#include <stdint.h>

/* NULL for "". */
const char *report_text(const char *text);

/* A claimed count, capped so that sums cannot overflow. */
int64_t report_count(uint64_t count);

#endif

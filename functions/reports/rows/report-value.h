/* Prepares the texts and counts of a report for the store. The reporter chose these values. */
#ifndef EDS_REPORTS_REPORT_VALUE_H
#define EDS_REPORTS_REPORT_VALUE_H

#include <stdint.h>

/* The text, or NULL for "". */
const char *report_text(const char *text);

/* A count that a reporter claims, capped so that sums cannot overflow. */
int64_t report_count(uint64_t count);

#endif

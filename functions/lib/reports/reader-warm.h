/* Warms the reader with a mail of our own: a report in a gzip and in a zip, and JSON that is no
 * report. */
#ifndef EDS_REPORTS_READER_WARM_H
#define EDS_REPORTS_READER_WARM_H

#include "functions/lib/reports/reader-child.h"

/* Reads the mail and drops the result, so that the libraries' setup and memory are ready before the
 * first fork. */
void eds_report_reader_init(void);

#endif

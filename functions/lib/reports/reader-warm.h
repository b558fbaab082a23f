/* A mail of our own with a report in a gzip and in a zip, and JSON that is none. */
#ifndef EDS_REPORTS_READER_WARM_H
#define EDS_REPORTS_READER_WARM_H

#include "functions/lib/reports/reader-child.h"

/* Reads a mail of our own and forgets the result: what the libraries set up and what they touch is
 * then there before the first fork. */
void eds_report_reader_init(void);

#endif

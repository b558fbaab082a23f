/* The child's side of eds_report_read(): it runs in the helper program libexec/eds-report-reader
 * and in its children (functions/lib/sandbox/serve.h). */
#ifndef EDS_REPORTS_READER_CHILD_H
#define EDS_REPORTS_READER_CHILD_H

#include <stddef.h>

/* Reads one mail and sends its reports on the descriptor `data`. */
void eds_report_reader_child(int data, const char *mail, size_t length);

#endif

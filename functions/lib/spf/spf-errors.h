/* Ways out of errors of SPF. */
#ifndef EDS_SPF_ERRORS_H
#define EDS_SPF_ERRORS_H

/* What to do about an error, by its code; "" where the reason says it. Begins with a space. */
const char *eds_spf_way_out(const char *reason_code);

#endif

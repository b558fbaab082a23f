/* How long a server's certificate holds. */
#ifndef EDS_FETCH_CERTIFICATE_H
#define EDS_FETCH_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#define EDS_CERTIFICATE_SOON_MS (INT64_C(14) * 24 * 3600 * 1000)

struct eds_certificate {
	int64_t from_ms;
	int64_t until_ms; /* 0: there was none, or it is not known */
};

/* Whether it ends within EDS_CERTIFICATE_SOON_MS, or has ended. Of one that is made for a few days
 * it is the last third: those are renewed late by design. */
bool eds_certificate_ends_soon(const struct eds_certificate *certificate, int64_t now_ms);

#endif

/* The validity period of a server's certificate. */
#ifndef EDS_FETCH_CERTIFICATE_H
#define EDS_FETCH_CERTIFICATE_H

#include <stdbool.h>
#include <stdint.h>

#define EDS_CERTIFICATE_SOON_MS (INT64_C(14) * 24 * 3600 * 1000)

struct eds_certificate {
	int64_t from_ms;
	int64_t until_ms; /* end of the validity; 0 when there is no certificate or its end is
			   * unknown */
};

/* True when the certificate has expired, or expires within EDS_CERTIFICATE_SOON_MS or a third of
 * its life, whichever is shorter. Certificates that are valid for a few days only are renewed late
 * by design. */
bool eds_certificate_ends_soon(const struct eds_certificate *certificate, int64_t now_ms);

#endif

#include "functions/lib/fetch/certificate.h"

enum {
	LAST_PART = 3,
};

bool eds_certificate_ends_soon(const struct eds_certificate *certificate, int64_t now_ms)
{
	int64_t soon_ms = (certificate->until_ms - certificate->from_ms) / LAST_PART;

	if (certificate->until_ms == 0)
		return false;
	if (soon_ms > EDS_CERTIFICATE_SOON_MS)
		soon_ms = EDS_CERTIFICATE_SOON_MS;
	return certificate->until_ms - now_ms < soon_ms;
}

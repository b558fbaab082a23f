#include <string.h>

#include "functions/lib/posture/names.h"
#include "functions/lib/posture/posture.h"

static const char *const states[] = {
	[EDS_POSTURE_OK] = "ok",
	[EDS_POSTURE_UNKNOWN] = "unknown",
	[EDS_POSTURE_WARNING] = "warning",
	[EDS_POSTURE_ERROR] = "error",
};

static const char *const subjects[EDS_POSTURE_SUBJECTS] = {
	[EDS_POSTURE_ZONE] = "zone",
	[EDS_POSTURE_MX] = "mx",
	[EDS_POSTURE_SPF] = "spf",
	[EDS_POSTURE_DMARC] = "dmarc",
	[EDS_POSTURE_MTA_STS] = "mta-sts",
	[EDS_POSTURE_TLS_RPT] = "tls-rpt",
	[EDS_POSTURE_DANE] = "dane",
	[EDS_POSTURE_CAA] = "caa",
	[EDS_POSTURE_BIMI] = "bimi",
	[EDS_POSTURE_DNSSEC] = "dnssec",
};

const char *eds_posture_state_name(enum eds_posture_state state)
{
	return states[state];
}

enum eds_posture_state eds_posture_state_rank(const char *name)
{
	for (int state = EDS_POSTURE_OK; state <= EDS_POSTURE_ERROR; state++)
		if (strcmp(states[state], name) == 0)
			return (enum eds_posture_state)state;
	return EDS_POSTURE_UNKNOWN;
}

const char *eds_posture_subject_name(enum eds_posture_subject subject)
{
	return subjects[subject];
}

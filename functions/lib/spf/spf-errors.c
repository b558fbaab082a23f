#include "functions/lib/spf/spf-errors.h"

#include <stddef.h>
#include <string.h>

const char *eds_spf_way_out(const char *reason_code)
{
	static const char *const ways[][2] = {
		{"too-many-lookups",
			" Take out includes of services that no longer send for you, put ip4 and "
			"ip6 in place of a and mx, or give a service a subdomain of its own as "
			"envelope sender."},
		{"too-many-void-lookups", " Take out the terms whose names no longer exist."},
		{"several-records",
			" Join them in one record: one v=spf1, all terms, one all at the end."},
		{"syntax", " Correct what is quoted, or take it out."},
		{"macro-too-long", " Shorten what stands there, or take it out."},
		{"too-many-mx", " Name the servers by ip4 and ip6 in place of that mx."},
		{"record-too-long", " Put networks in place of single addresses."},
		{"redirect-without-record",
			" Correct the name behind redirect=, or end with an all."},
		{"include-without-record",
			" Take the include out, or ask the service for its present name."},
	};

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (reason_code != NULL && strcmp(reason_code, ways[i][0]) == 0)
			return ways[i][1];
	return "";
}

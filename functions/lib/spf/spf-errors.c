#include "functions/lib/spf/spf-errors.h"

#include <stddef.h>
#include <string.h>

const char *eds_spf_way_out(const char *reason_code)
{
	static const char *const ways[][2] = {
		{"too-many-lookups",
			" Remove the includes of services that no longer send for you, put ip4 and "
			"ip6 in place of a and mx, or give a service a subdomain of its own as "
			"envelope sender."},
		{"too-many-void-lookups", " Remove the terms whose names no longer exist."},
		{"several-records",
			" Join them in one record: one v=spf1, all terms, one all at the end."},
		{"syntax", " Correct the quoted text, or remove it."},
		{"macro-too-long", " Shorten the macro, or remove it."},
		{"too-many-mx", " Name the servers by ip4 and ip6 in place of that mx."},
		{"record-too-long", " Put networks in place of single addresses."},
		{"redirect-without-record",
			" Correct the name after redirect=, or end the record with an all."},
		{"include-without-record",
			" Remove the include, or ask the service for its current name."},
	};

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (reason_code != NULL && strcmp(reason_code, ways[i][0]) == 0)
			return ways[i][1];
	return "";
}

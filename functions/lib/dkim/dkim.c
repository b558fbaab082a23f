#include "functions/lib/dkim/dkim.h"

const char *eds_dkim_state_name(enum eds_dkim_state state)
{
	static const char *const names[] = {
		[EDS_DKIM_VALID] = "valid",
		[EDS_DKIM_INVALID] = "invalid",
		[EDS_DKIM_TESTING] = "testing",
		[EDS_DKIM_TEMPORARY] = "temporary",
		[EDS_DKIM_UNCHECKED] = "unchecked",
	};

	return names[state];
}

const char *eds_dkim_hash_name(enum eds_dkim_hash hash)
{
	static const char *const names[] = {
		[EDS_DKIM_HASH_UNKNOWN] = "unknown",
		[EDS_DKIM_HASH_MATCH] = "match",
		[EDS_DKIM_HASH_MISMATCH] = "mismatch",
	};

	return names[hash];
}

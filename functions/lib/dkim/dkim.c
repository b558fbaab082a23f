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

const char *eds_key_state_name(enum eds_key_state state)
{
	static const char *const names[] = {
		[EDS_KEY_FOUND] = "found",
		[EDS_KEY_MISSING] = "missing",
		[EDS_KEY_REVOKED] = "revoked",
		[EDS_KEY_INVALID] = "invalid",
		[EDS_KEY_TEMPORARY] = "temporary",
		[EDS_KEY_UNSUPPORTED] = "unsupported",
		[EDS_KEY_UNASKED] = "unknown",
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

#include "functions/lib/dnssec/wire.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	[EDS_DNSSEC_PENDING] = "pending",
	[EDS_DNSSEC_SECURE] = "secure",
	[EDS_DNSSEC_INSECURE] = "insecure",
	[EDS_DNSSEC_BOGUS] = "bogus",
	[EDS_DNSSEC_UNABLE] = "unable",
	[EDS_DNSSEC_UNKNOWN] = "unknown",
	[EDS_DNSSEC_ABSENT] = "absent", /* set by dnssec.c; the validator never sends this word */
};

const char *eds_dnssec_state_name(enum eds_dnssec_state state)
{
	return names[state];
}

/* Reads digits and a space; returns their length in octets, 0 for anything else. */
static size_t read_number(const char *bytes, size_t length, uint32_t *number)
{
	size_t at = 0;

	*number = 0;
	while (at < length && at < 9 && bytes[at] >= '0' && bytes[at] <= '9')
		*number = *number * 10 + (uint32_t)(bytes[at++] - '0');
	return at > 0 && at < length && bytes[at] == ' ' ? at + 1 : 0;
}

static bool read_state(const char *word, size_t length, enum eds_dnssec_state *state)
{
	for (int i = EDS_DNSSEC_SECURE; i <= EDS_DNSSEC_UNKNOWN; i++)
		if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0) {
			*state = (enum eds_dnssec_state)i;
			return true;
		}
	return false;
}

bool eds_validator_answer_read(
	const char *bytes, size_t length, struct eds_validator_answer *answer)
{
	size_t at = read_number(bytes, length, &answer->number);
	size_t end = at;
	size_t out = 0;

	while (end < length && bytes[end] != ' ')
		end++;
	if (at == 0 || answer->number >= EDS_VALIDATOR_OPEN_MAX ||
		!read_state(bytes + at, end - at, &answer->state))
		return false;
	for (end++; end < length && out < EDS_DNSSEC_WHY_MAX; end++)
		answer->why[out++] = (char)(bytes[end] >= ' ' && bytes[end] <= '~' ? bytes[end]
										   : '?');
	answer->why[out] = '\0';
	return true;
}

void eds_validator_server(const char *named, size_t length, char *text, size_t size)
{
	const char *end = named + length;
	const char *colon = memrchr(named, ':', length);
	const char *close = memchr(named, ']', length);

	if (named < end && *named == '[' && close != NULL)
		snprintf(text, size, "%.*s%s%.*s", (int)(close - named - 1), named + 1,
			close + 1 < end ? "@" : "", close + 2 < end ? (int)(end - close - 2) : 0,
			close + 2);
	else if (colon != NULL && colon == memchr(named, ':', length))
		snprintf(text, size, "%.*s@%.*s", (int)(colon - named), named,
			(int)(end - colon - 1), colon + 1);
	else
		snprintf(text, size, "%.*s", (int)length, named);
}

#include "functions/lib/dns/extended-error.h"

#include <arpa/nameser.h>

enum {
	HEADER_BYTES = 12,
	QUESTION_FIXED_BYTES = 4, /* octets of type and class, after the name of a question */
	RECORD_FIXED_BYTES = 10,  /* octets of type, class, TTL and length, after the owner of a
				   * record */
	OPTION_HEAD_BYTES = 4,    /* octets of an option's code and length (RFC 6891 section
				   * 6.1.2) */
	EXTENDED_ERROR = 15,      /* code of the option for an extended error (RFC 8914 section
				   * 2) */
	FIRST_BOGUS = 6,          /* the first code for failed validation: DNSSEC Bogus (section
				   * 4.7) */
	LAST_BOGUS = 12,          /* the last code for failed validation: NSEC Missing (section
				   * 4.13) */
};

static unsigned read16(const uint8_t *at)
{
	return (unsigned)(at[0] << 8 | at[1]);
}

static bool option_says_bogus(const uint8_t *data, unsigned code, size_t length)
{
	return code == EXTENDED_ERROR && length >= 2 && read16(data) >= FIRST_BOGUS &&
		read16(data) <= LAST_BOGUS;
}

static bool options_say_bogus(const uint8_t *at, size_t left)
{
	while (left >= OPTION_HEAD_BYTES) {
		unsigned code = read16(at);
		size_t length = read16(at + 2);

		at += OPTION_HEAD_BYTES;
		left -= OPTION_HEAD_BYTES;
		if (length > left)
			return false;
		if (option_says_bogus(at, code, length))
			return true;
		at += length;
		left -= length;
	}
	return false;
}

/* Reads one record after its owner name; false when it extends beyond the end. */
static bool record_says_bogus(const uint8_t **at, const uint8_t *end, bool *says)
{
	const uint8_t *fixed = *at;
	size_t length;

	if (end - fixed < RECORD_FIXED_BYTES)
		return false;
	length = read16(fixed + 8);
	*at += RECORD_FIXED_BYTES;
	if ((size_t)(end - *at) < length)
		return false;
	*says = read16(fixed) == ns_t_opt && options_say_bogus(*at, length);
	*at += length;
	return true;
}

bool eds_dns_says_bogus(const uint8_t *bytes, size_t length)
{
	const uint8_t *at = bytes + HEADER_BYTES;
	const uint8_t *end = bytes + length;
	unsigned questions;
	unsigned records;
	bool says = false;

	if (length < HEADER_BYTES)
		return false;
	questions = read16(bytes + 4);
	records = read16(bytes + 6) + read16(bytes + 8) + read16(bytes + 10);
	for (; questions > 0; questions--, at += QUESTION_FIXED_BYTES)
		if (ns_name_skip(&at, end) != 0 || end - at < QUESTION_FIXED_BYTES)
			return false;
	for (; records > 0 && !says; records--)
		if (ns_name_skip(&at, end) != 0 || !record_says_bogus(&at, end, &says))
			return false;
	return says;
}

/* The fields of the TXT record and the policy file, whose names have the same syntax (RFC 8461
 * sections 3.1 and 3.2): a letter or digit, then up to 31 letters, digits, underscores, hyphens and
 * dots. */
#ifndef EDS_MTA_STS_FIELD_H
#define EDS_MTA_STS_FIELD_H

#include <stdbool.h>
#include <stddef.h>

struct eds_mta_sts_field { /* points into the text: name and value have no NUL at their end */
	const char *name;
	size_t name_length; /* 0 when the text is not a name and a value */
	const char *value;
	size_t value_length;
};

bool eds_mta_sts_field_name_ok(const struct eds_mta_sts_field *field);
bool eds_mta_sts_field_is(const struct eds_mta_sts_field *field, const char *name);
bool eds_mta_sts_value_is(const struct eds_mta_sts_field *field, const char *text);

#endif

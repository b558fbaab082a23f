#include "functions/lib/mta-sts/field.h"

#include <string.h>

#include "runtime/text/ascii.h"

enum { NAME_MAX_OCTETS = 32 };

bool eds_mta_sts_field_name_ok(const struct eds_mta_sts_field *field)
{
	if (field->name_length == 0 || field->name_length > NAME_MAX_OCTETS ||
		!rt_is_alnum(field->name[0]))
		return false;
	for (size_t i = 1; i < field->name_length; i++) {
		char c = field->name[i];

		if (!rt_is_alnum(c) && c != '_' && c != '-' && c != '.')
			return false;
	}
	return true;
}

static bool equal(const char *text, size_t length, const char *other)
{
	return length == strlen(other) && memcmp(text, other, length) == 0;
}

bool eds_mta_sts_field_is(const struct eds_mta_sts_field *field, const char *name)
{
	return equal(field->name, field->name_length, name);
}

bool eds_mta_sts_value_is(const struct eds_mta_sts_field *field, const char *text)
{
	return equal(field->value, field->value_length, text);
}

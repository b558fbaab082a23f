/* Names in the environment that look like settings and are none. */
#include <string.h>

#include "runtime/config-form.h"
#include "runtime/config.h"

enum {
	NAME_MAX_BYTES = 48, /* of a setting */
	SLIPS_MAX = 4,       /* more, and it is not the same name with a slip */
};

static bool ends_with(const char *name, size_t length, const char *end)
{
	size_t end_length = strlen(end);

	return length >= end_length && memcmp(name + length - end_length, end, end_length) == 0;
}

/* Kubernetes tells each pod of each service: of one that is called eds EDS_SERVICE_HOST,
 * EDS_SERVICE_PORT_HTTP, EDS_PORT=tcp://10.0.0.1:80, EDS_PORT_80_TCP_ADDR. */
static bool is_service_link(const char *name, size_t length)
{
	return ends_with(name, length, "_SERVICE_HOST") || strstr(name, "_SERVICE_PORT") != NULL ||
		strstr(name, "_PORT_") != NULL ||
		(ends_with(name, length, "_PORT") && strstr(name, "=tcp://") != NULL);
}

static bool is_known(const char *name, size_t length)
{
	const char *setting;

	if (strncmp(name, "EDS_", 4) != 0 || strncmp(name, "EDS_TEST_", 9) == 0 ||
		strncmp(name, "EDS_TIMEOUT_MS=", 15) == 0)
		return true;
	for (size_t i = 0; (setting = rt_config_name(i)) != NULL; i++)
		if (strlen(setting) == length && memcmp(setting, name, length) == 0)
			return true;
	return is_service_link(name, length);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Octets to insert, take away or replace (Levenshtein), row by row. */
static size_t slips_between(const char *name, size_t length, const char *setting)
{
	size_t columns = strlen(setting);
	size_t row[NAME_MAX_BYTES + 1];

	if (length > NAME_MAX_BYTES || columns > NAME_MAX_BYTES)
		return SLIPS_MAX + 1;
	for (size_t column = 0; column <= columns; column++)
		row[column] = column;
	for (size_t i = 1; i <= length; i++) {
		size_t above_left = row[0];

		row[0] = i;
		for (size_t column = 1; column <= columns; column++) {
			size_t replaced = above_left + (name[i - 1] != setting[column - 1]);

			above_left = row[column];
			row[column] = least(replaced, least(row[column], row[column - 1]) + 1);
		}
	}
	return row[columns];
}

static const char *nearest(const char *name, size_t length)
{
	const char *found = NULL;
	const char *setting;
	size_t fewest = SLIPS_MAX + 1;

	for (size_t i = 0; (setting = rt_config_name(i)) != NULL; i++) {
		size_t slips = slips_between(name, length, setting);

		if (slips < fewest) {
			fewest = slips;
			found = setting;
		}
	}
	return found;
}

size_t rt_config_unknown(
	char **environment, void (*found)(const char *name, size_t length, const char *like))
{
	size_t count = 0;

	for (char **variable = environment; *variable != NULL; variable++) {
		size_t length = strcspn(*variable, "=");

		if (is_known(*variable, length))
			continue;
		found(*variable, length, nearest(*variable, length));
		count++;
	}
	return count;
}

#include <string.h>

#include "runtime/config/config-form.h"
#include "runtime/config/config-unknown.h"
#include "runtime/config/config.h"
#include "runtime/slips.h"

enum {
	PREFIX_LENGTH = 4, /* octets of EDS_ */
};

static bool ends_with(const char *name, size_t length, const char *end)
{
	size_t end_length = strlen(end);

	return length >= end_length && memcmp(name + length - end_length, end, end_length) == 0;
}

/* True for a variable that Kubernetes sets. In each pod Kubernetes sets some variables for each
 * service. For a service named eds these are, for example, EDS_SERVICE_HOST, EDS_SERVICE_PORT_HTTP,
 * EDS_PORT=tcp://10.0.0.1:80 and EDS_PORT_80_TCP_ADDR. */
static bool is_service_link(const char *name, size_t length)
{
	return ends_with(name, length, "_SERVICE_HOST") || strstr(name, "_SERVICE_PORT") != NULL ||
		strstr(name, "_PORT_") != NULL ||
		(ends_with(name, length, "_PORT") && strstr(name, "=tcp://") != NULL);
}

/* True for a variable of the command eds (local/eds), which people may have set in the shell in
 * which they start the service. */
static bool is_of_command(const char *name)
{
	return strncmp(name, "EDS_URL=", 8) == 0 || strncmp(name, "EDS_TOKEN=", 10) == 0;
}

static bool is_known(const char *name, size_t length)
{
	const char *setting;

	if (strncmp(name, "EDS_", PREFIX_LENGTH) != 0 || strncmp(name, "EDS_TEST_", 9) == 0 ||
		strncmp(name, "EDS_TIMEOUT_MS=", 15) == 0)
		return true;
	for (size_t i = 0; (setting = rt_config_name(i)) != NULL; i++)
		if (strlen(setting) == length && memcmp(setting, name, length) == 0)
			return true;
	return is_of_command(name) || is_service_link(name, length);
}

/* The setting that was probably meant; NULL if none is close. EDS_ is left out of the comparison,
 * since that prefix does not make names similar. */
static const char *meant_by(const char *name, size_t length)
{
	struct rt_meant meant = {.word = name + PREFIX_LENGTH, .length = length - PREFIX_LENGTH};
	const char *setting;

	for (size_t i = 0; (setting = rt_config_name(i)) != NULL; i++)
		rt_meant_offer(&meant, setting + PREFIX_LENGTH);
	return meant.found != NULL ? meant.found - PREFIX_LENGTH : NULL;
}

size_t rt_config_unknown(
	char **environment, void (*found)(const char *name, size_t length, const char *like))
{
	size_t count = 0;

	for (char **variable = environment; *variable != NULL; variable++) {
		size_t length = strcspn(*variable, "=");

		if (is_known(*variable, length))
			continue;
		found(*variable, length, meant_by(*variable, length));
		count++;
	}
	return count;
}

#include "functions/lib/store/db/database-secret.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/store/db/database-url.h"
#include "runtime/aws/sigv4.h"
#include "runtime/buffer.h"
#include "runtime/config/config.h"

bool eds_database_is_address(const char *text)
{
	return strncmp(text, "postgresql://", 13) == 0 || strncmp(text, "postgres://", 11) == 0;
}

static rt_status wrong(struct rt_ctx *ctx, const char *sentence)
{
	return rt_fail(ctx, RT_TEMPORARY, "store-unavailable",
		"EDS_DATABASE_URL names a secret that %s", sentence);
}

static rt_status take_address(struct rt_ctx *ctx, const char *text, const char **url)
{
	if (strlen(text) > EDS_DATABASE_URL_MAX)
		return wrong(ctx, "has an address that is too long");
	*url = rt_strdup(ctx, text);
	return RT_OK;
}

static rt_status take_member(
	struct rt_ctx *ctx, const json_t *object, const char *name, const char **url)
{
	const json_t *member = json_object_get(object, name);

	if (!json_is_object(object))
		return wrong(ctx, "is not a JSON object, so it has no members");
	if (member == NULL)
		return rt_fail(ctx, RT_TEMPORARY, "store-unavailable",
			"EDS_DATABASE_URL names a secret that has no member \"%s\"", name);
	if (!json_is_string(member) || !eds_database_is_address(json_string_value(member)))
		return rt_fail(ctx, RT_TEMPORARY, "store-unavailable",
			"EDS_DATABASE_URL names a secret whose member \"%s\" is not an address of "
			"PostgreSQL",
			name);
	return take_address(ctx, json_string_value(member), url);
}

/* True when the parameters have a value for this name, or libpq's environment variable for it is
 * set. */
static bool is_said(const char *parameters, const char *name, const char *variable)
{
	const char *value = getenv(variable);
	size_t length = strlen(name);

	for (const char *at = parameters; at != NULL; at = strchr(at, '&')) {
		at += *at == '&';
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return true;
	}
	return value != NULL && value[0] != '\0';
}

static void add(struct rt_buffer *url, const char *name, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	rt_buffer_format(url, "%s%s=%s", url->bytes[url->length - 1] == '?' ? "" : "&", name,
		sigv4_encode(url->ctx, value, false));
}

/* The text of a member. The port is a number in secrets that RDS writes, and text in secrets that
 * people write. */
static const char *text_of(struct rt_ctx *ctx, const json_t *object, const char *name)
{
	const json_t *member = json_object_get(object, name);

	if (json_is_integer(member))
		return rt_printf(ctx, "%lld", (long long)json_integer_value(member));
	return json_string_value(member);
}

static void add_defaults(struct rt_buffer *url, const char *parameters)
{
	if (!is_said(parameters, "sslmode", "PGSSLMODE"))
		add(url, "sslmode", "verify-full");
	if (!is_said(parameters, "sslrootcert", "PGSSLROOTCERT"))
		add(url, "sslrootcert", rt_config()->ca_file);
}

/* Puts the address together. The parameters come after the members of the secret, because libpq
 * uses the last value of a parameter that comes twice. */
static rt_status put_together(
	struct rt_ctx *ctx, const json_t *object, const char *parameters, const char **url)
{
	const char *user = text_of(ctx, object, "username");
	const char *password = text_of(ctx, object, "password");
	const char *host = text_of(ctx, object, "host");
	struct rt_buffer text;

	if (user == NULL || user[0] == '\0' || password == NULL || password[0] == '\0')
		return wrong(
			ctx, "is not an address of PostgreSQL and has no username and password");
	if (host == NULL && !is_said(parameters, "host", "PGHOST"))
		return wrong(ctx, "has no host: write secretsmanager:ARN?host=HOST&dbname=NAME");
	rt_buffer_init(&text, ctx, EDS_DATABASE_URL_MAX);
	rt_buffer_text(&text, "postgresql:///?");
	add(&text, "user", user);
	add(&text, "password", password);
	add(&text, "host", host);
	add(&text, "port", text_of(ctx, object, "port"));
	add(&text, "dbname", text_of(ctx, object, "dbname"));
	add_defaults(&text, parameters);
	if (parameters[0] != '\0')
		rt_buffer_format(&text, "&%s", parameters);
	if (text.overflow)
		return wrong(ctx, "is too long");
	*url = text.bytes;
	return RT_OK;
}

rt_status eds_database_secret_url(
	struct rt_ctx *ctx, const char *text, const char *which, const char **url)
{
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	rt_status status;

	if (which[0] == '#')
		status = take_member(ctx, object, which + 1, url);
	else if (which[0] == '\0' && eds_database_is_address(text))
		status = take_address(ctx, text, url);
	else
		status = put_together(ctx, object, which[0] == '?' ? which + 1 : "", url);
	json_decref(object);
	return status;
}

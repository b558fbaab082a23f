#include <jansson.h>
#include <string.h>

#include "runtime/aws/credentials-parse.h"
#include "runtime/aws/credentials.h"
#include "runtime/time.h"

/* Copies a string member; false if it is missing, empty or too long, or has other characters than
 * visible ASCII, since it becomes part of a header field. */
static bool take(const json_t *object, const char *name, char *to, size_t max)
{
	const char *value = json_string_value(json_object_get(object, name));
	size_t length = value == NULL ? 0 : strlen(value);

	if (length == 0 || length > max)
		return false;
	for (const char *c = value; *c != '\0'; c++)
		if (*c <= ' ' || *c >= 0x7f)
			return false;
	memcpy(to, value, length + 1);
	return true;
}

static bool read_members(const json_t *object, struct aws_credentials *credentials)
{
	const char *code = json_string_value(json_object_get(object, "Code"));
	const char *expiration = json_string_value(json_object_get(object, "Expiration"));

	if (code != NULL && strcmp(code, "Success") != 0)
		return false;
	if (!take(object, "AccessKeyId", credentials->id, AWS_KEY_ID_MAX) ||
		!take(object, "SecretAccessKey", credentials->secret, AWS_SECRET_MAX))
		return false;
	if (json_object_get(object, "Token") != NULL &&
		!take(object, "Token", credentials->token, AWS_TOKEN_MAX))
		return false;
	return expiration == NULL || rt_time_parse(expiration, &credentials->expires_at_ms);
}

bool aws_credentials_parse(const char *text, size_t length, struct aws_credentials *credentials)
{
	json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	bool ok;

	memset(credentials, 0, sizeof *credentials);
	ok = read_members(object, credentials);
	json_decref(object);
	if (!ok)
		explicit_bzero(credentials, sizeof *credentials);
	return ok;
}

bool aws_credentials_url_is_safe(const char *url)
{
	static const char *const hosts[] = {"127.0.0.1", "[::1]", "localhost", "169.254.170.2",
		"169.254.170.23", "[fd00:ec2::23]"};

	if (strncmp(url, "https://", 8) == 0)
		return true;
	if (strncmp(url, "http://", 7) != 0)
		return false;
	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
		size_t length = strlen(hosts[i]);

		if (strncmp(url + 7, hosts[i], length) == 0 &&
			(url[7 + length] == '/' ||
				(url[7 + length] == ':' &&
					url[8 + length + strspn(url + 8 + length, "0123456789")] ==
						'/')))
			return true;
	}
	return false;
}

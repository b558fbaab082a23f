#include <jansson.h>
#include <string.h>

#include "runtime/aws/secret-parse.h"
#include "runtime/aws/secret.h"

#define SERVICE "secretsmanager"

static const char lower[] = "abcdefghijklmnopqrstuvwxyz-";
static const char digits[] = "0123456789";
static const char name_characters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789/_+=.@!-";

/* Skips one or more characters of `set`, and then the text `behind`; false if either is missing. */
static bool skip(const char **at, const char *set, const char *behind)
{
	size_t length = strspn(*at, set);

	*at += length;
	if (length == 0 || strncmp(*at, behind, strlen(behind)) != 0)
		return false;
	*at += strlen(behind);
	return true;
}

/* True for arn:PARTITION:secretsmanager:REGION:ACCOUNT:secret:NAME; PARTITION is aws in most
 * regions. */
bool aws_secret_arn_is_valid(const char *arn, size_t length)
{
	const char *at = arn;
	const char *region;

	if (length > AWS_SECRET_ARN_MAX || strncmp(at, "arn:", 4) != 0)
		return false;
	at += 4;
	if (!skip(&at, lower, ":" SERVICE ":"))
		return false;
	region = at;
	at += strcspn(at, ":");
	if (!aws_region_is_valid(region, (size_t)(at - region)) || *at != ':')
		return false;
	at++;
	return skip(&at, digits, ":secret:") && skip(&at, name_characters, "") &&
		at == arn + length;
}

char *aws_secret_region(struct rt_ctx *ctx, const char *arn)
{
	const char *region = strstr(arn, ":" SERVICE ":") + strlen(":" SERVICE ":");

	return rt_memdup(ctx, region, strcspn(region, ":"));
}

char *aws_secret_text(struct rt_ctx *ctx, const char *answer, size_t length)
{
	json_t *object = json_loadb(answer, length, JSON_REJECT_DUPLICATES, NULL);
	const char *value = json_string_value(json_object_get(object, "SecretString"));
	char *text = value != NULL ? rt_strdup(ctx, value) : NULL;

	json_decref(object);
	return text;
}

void aws_secret_error(const char *answer, size_t length, char type[AWS_SECRET_ERROR_MAX + 1])
{
	json_t *object = json_loadb(answer, length, JSON_REJECT_DUPLICATES, NULL);
	const char *value = json_string_value(json_object_get(object, "__type"));
	const char *hash = value != NULL ? strchr(value, '#') : NULL;
	size_t letters = 0;

	if (hash != NULL)
		value = hash + 1;
	if (value != NULL)
		letters = strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
	if (letters > AWS_SECRET_ERROR_MAX)
		letters = 0;
	if (letters > 0)
		memcpy(type, value, letters);
	type[letters] = '\0';
	json_decref(object);
}

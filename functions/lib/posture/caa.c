#include "functions/lib/posture/caa.h"

#include <string.h>
#include <strings.h>

#include "runtime/text/ascii.h"

static const char *shown(struct rt_ctx *ctx, const char *bytes, size_t length)
{
	char *text = rt_memdup(ctx, bytes, length < EDS_CAA_SHOWN_MAX ? length : EDS_CAA_SHOWN_MAX);

	for (size_t i = 0; i < length && i < EDS_CAA_SHOWN_MAX; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
	return text;
}

bool eds_caa_read(struct rt_ctx *ctx, const struct eds_dns_record *record, struct eds_caa *caa)
{
	const uint8_t *bytes = (const uint8_t *)record->txt;
	size_t tag_length;

	if (record->txt_length < 2)
		return false;
	tag_length = bytes[1];
	if (tag_length == 0 || tag_length > record->txt_length - 2)
		return false;
	for (size_t i = 0; i < tag_length; i++)
		if (!rt_is_alnum(record->txt[2 + i]))
			return false;
	caa->flags = bytes[0];
	caa->tag = rt_lower(ctx, rt_memdup(ctx, record->txt + 2, tag_length));
	caa->value = shown(ctx, record->txt + 2 + tag_length, record->txt_length - 2 - tag_length);
	return true;
}

/* True for the tags that are taken as known to every authority: those of RFC 8659, RFC 9495 and the
 * CA/Browser Forum, and issuevmc for the certificates of BIMI. */
static bool is_known(const char *tag)
{
	static const char *const known[] = {"issue", "issuewild", "iodef", "issuemail", "issuevmc",
		"contactemail", "contactphone"};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(tag, known[i]) == 0)
			return true;
	return false;
}

/* True when an issue-value names the authority: *WSP [issuer-domain-name *WSP] [";" parameters]
 * (section 4.2). */
static bool names(const char *value, const char *authority, const char **parameters)
{
	size_t length;

	value += strspn(value, " \t");
	length = strcspn(value, "; \t");
	*parameters = value + length + strspn(value + length, "; \t");
	return length == strlen(authority) && strncasecmp(value, authority, length) == 0;
}

/* True for parameters that limit issuance to one account or to certain validation methods (RFC
 * 8657). */
static bool is_limited(const char *parameters)
{
	return strcasestr(parameters, "accounturi") != NULL ||
		strcasestr(parameters, "validationmethods") != NULL;
}

enum eds_caa_verdict eds_caa_judge(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, const char *authority)
{
	bool issue = false;
	bool limited = false;
	bool allowed = false;

	for (size_t i = 0; i < answer->count; i++) {
		struct eds_caa caa;
		const char *parameters;

		if (!eds_caa_read(ctx, &answer->records[i], &caa))
			return EDS_CAA_GARBLED;
		if ((caa.flags & EDS_CAA_CRITICAL) != 0 && !is_known(caa.tag))
			return EDS_CAA_CRITICAL_UNKNOWN;
		if (strcmp(caa.tag, "issue") != 0)
			continue;
		issue = true;
		if (!names(caa.value, authority, &parameters))
			continue;
		if (is_limited(parameters))
			limited = true;
		else
			allowed = true;
	}
	if (!issue || allowed)
		return EDS_CAA_ALLOWS;
	return limited ? EDS_CAA_RESTRICTS : EDS_CAA_FORBIDS;
}

const char *eds_caa_text(struct rt_ctx *ctx, const struct eds_caa *caa)
{
	return rt_printf(ctx, "%u %s \"%s\"", caa->flags, caa->tag, caa->value);
}

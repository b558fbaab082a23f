#include "functions/tester/requirements/unsubscribe.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/dkim/signature.h"
#include "functions/lib/dmarc/evaluate.h"

static const char field_name[] = "List-Unsubscribe";
static const char post_name[] = "List-Unsubscribe-Post";
/* the only valid value (RFC 8058 section 3.1) */
static const char post_value[] = "List-Unsubscribe=One-Click";

static void set(struct unsubscribe_result *result, enum unsubscribe_part part,
	enum demand_state state, const char *evidence)
{
	result->parts[part] = (struct demand){.state = state, .evidence = evidence};
}

static void decide(struct unsubscribe_result *result, enum unsubscribe_part part, bool met,
	const char *yes, const char *no)
{
	set(result, part, met ? DEMAND_MET : DEMAND_MISSED, met ? yes : no);
}

/* True if the text is a URI of this scheme: more than the scheme itself, and (but for "<") only
 * characters that a URI may contain. */
static bool is_uri(const char *uri, const char *scheme)
{
	size_t length = strlen(scheme);

	if (strncasecmp(uri, scheme, length) != 0 || strchr("/?#", uri[length]) != NULL)
		return false;
	for (const char *at = uri; *at; at++)
		if (*at <= ' ' || *at > '~' || strchr("\"\\^`{|}", *at) != NULL)
			return false;
	return true;
}

/* Reads "<uri>, <uri>"; ignores text outside the angle brackets (RFC 2369 section 2). */
static void read_uris(struct rt_ctx *ctx, const char *text, struct unsubscribe_result *result)
{
	while (result->uri_count < UNSUBSCRIBE_URIS_MAX) {
		const char *open = strchr(text, '<');
		const char *close = open != NULL ? strchr(open, '>') : NULL;

		if (close == NULL)
			return;
		result->uris[result->uri_count++] = rt_memdup(
			ctx, open + 1, (size_t)(close - open - 1));
		text = close + 1;
	}
}

static void check_uris(struct unsubscribe_result *result)
{
	bool https = false;

	for (size_t i = 0; i < result->uri_count; i++) {
		const char *uri = result->uris[i];

		https |= is_uri(uri, "https://");
		result->has_way |= is_uri(uri, "https://") || is_uri(uri, "http://") ||
			is_uri(uri, "mailto:");
	}
	decide(result, UNSUBSCRIBE_HTTPS, https, "List-Unsubscribe has an https URI.",
		"List-Unsubscribe has no https URI in angle brackets.");
}

static void check_fields(
	struct rt_ctx *ctx, const struct eds_header *header, struct unsubscribe_result *result)
{
	const struct eds_field *field = eds_header_find(header, field_name, 0);
	const struct eds_field *post = eds_header_find(header, post_name, 0);
	bool exact = post != NULL && strcmp(eds_field_text(ctx, post), post_value) == 0;

	decide(result, UNSUBSCRIBE_FIELD, field != NULL,
		"The message has a List-Unsubscribe field.",
		"The message has no List-Unsubscribe field.");
	if (field != NULL)
		read_uris(ctx, eds_field_text(ctx, field), result);
	check_uris(result);
	decide(result, UNSUBSCRIBE_POST, post != NULL,
		"The message has a List-Unsubscribe-Post field.",
		"The message has no List-Unsubscribe-Post field.");
	decide(result, UNSUBSCRIBE_POST_VALUE, exact,
		"List-Unsubscribe-Post says List-Unsubscribe=One-Click.",
		"List-Unsubscribe-Post does not say exactly List-Unsubscribe=One-Click.");
	decide(result, UNSUBSCRIBE_ONCE,
		eds_header_count(header, field_name) <= 1 &&
			eds_header_count(header, post_name) <= 1,
		"Each of the two fields occurs once.", "One of the two fields occurs twice.");
}

static bool names(const struct eds_signature *signature, const char *name)
{
	for (size_t i = 0; i < signature->signed_count; i++)
		if (signature->signed_names[i].length == strlen(name) &&
			strncasecmp(signature->signed_names[i].name, name, strlen(name)) == 0)
			return true;
	return false;
}

/* True if h= of the nth signature names both fields; the caller checks that the signature is valid.
 */
static bool covers_both(struct rt_ctx *ctx, const struct eds_header *header, size_t nth)
{
	const struct eds_field *field = eds_header_find(header, "DKIM-Signature", nth);
	struct eds_signature signature;

	if (field == NULL)
		return false;
	eds_signature_read(ctx, field, &signature);
	return names(&signature, field_name) && names(&signature, post_name);
}

struct coverage {
	bool valid;
	bool aligned;
	bool open; /* a signature that covers both fields could not be checked, or DKIM could not be
		    * evaluated */
};

static struct coverage find_coverage(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_dkim_result *dkim, const struct eds_dmarc_result *dmarc, const char *from)
{
	struct coverage coverage = {.open = dkim->failure[0] != '\0' && dkim->total > dkim->count};

	for (size_t i = 0; i < dkim->count; i++) {
		const struct eds_dkim_signature *signature = &dkim->signatures[i];

		/* An invalid signature under a testing key counts as no signature (RFC 6376
		 * section 3.6.1). */
		if (signature->state == EDS_DKIM_INVALID || signature->state == EDS_DKIM_TESTING ||
			!covers_both(ctx, header, i))
			continue;
		if (signature->state != EDS_DKIM_VALID) {
			coverage.open = true;
			continue;
		}
		coverage.valid = true;
		coverage.aligned |= eds_dmarc_is_own(dmarc, from, signature->domain);
	}
	return coverage;
}

static void check_signatures(const struct coverage *coverage, struct unsubscribe_result *result)
{
	static const char open[] = "A signature could not be checked.";

	if (coverage->open && !coverage->valid)
		set(result, UNSUBSCRIBE_SIGNED, DEMAND_UNDECIDED, open);
	else
		decide(result, UNSUBSCRIBE_SIGNED, coverage->valid,
			"h= of a valid DKIM signature names both fields.",
			"No valid DKIM signature names both fields in h=.");
	if (coverage->open && !coverage->aligned)
		set(result, UNSUBSCRIBE_ALIGNED, DEMAND_UNDECIDED, open);
	else
		decide(result, UNSUBSCRIBE_ALIGNED, coverage->aligned,
			"A valid signature that names both fields is aligned with the From domain.",
			"No valid signature that names both fields is aligned with the From "
			"domain, so Gmail shows no button.");
}

/* The first missed part among the first `count` parts, else the first undecided one. */
static struct demand gravest(const struct unsubscribe_result *result, size_t count)
{
	static const enum demand_state order[] = {DEMAND_MISSED, DEMAND_UNDECIDED};

	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count; i++)
			if (result->parts[i].state == order[pass])
				return result->parts[i];
	return (struct demand){.state = DEMAND_MET,
		.evidence = "Unsubscribing takes one click, as RFC 8058 says."};
}

void unsubscribe_check(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_dkim_result *dkim, const struct eds_dmarc_result *dmarc,
	const char *from_domain, struct unsubscribe_result *result)
{
	struct coverage coverage = find_coverage(ctx, header, dkim, dmarc, from_domain);

	memset(result, 0, sizeof *result);
	check_fields(ctx, header, result);
	check_signatures(&coverage, result);
	if (header->limit[0] != '\0') /* the fields may be in the part that was not read */
		for (size_t i = 0; i < UNSUBSCRIBE_PARTS; i++)
			if (result->parts[i].state == DEMAND_MISSED)
				set(result, (enum unsubscribe_part)i, DEMAND_UNDECIDED,
					header->limit);
	result->whole = gravest(result, UNSUBSCRIBE_ALIGNED);
	result->button = gravest(result, UNSUBSCRIBE_PARTS);
}

const char *unsubscribe_part_name(enum unsubscribe_part part)
{
	static const char *const part_names[] = {"list-unsubscribe", "https-uri",
		"list-unsubscribe-post", "one-click-value", "once-each", "signed", "aligned"};

	return part_names[part];
}

#include "functions/lib/dkim/signature.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/dkim/signature-domain.h"
#include "functions/lib/dns/name.h"
#include "runtime/text/base64.h"

enum {
	TIME_DIGITS_MAX = 12,   /* maximum number of digits of t= and x= (RFC 6376 section 3.5) */
	LENGTH_DIGITS_MAX = 76, /* l= */
};

struct reader {
	struct rt_ctx *ctx;
	struct eds_signature *signature;
	bool broken; /* a required tag is missing, a tag is malformed, or a= or q= has no value that
		      * is supported */
};

static const struct eds_tag *optional(struct reader *r, const char *name)
{
	return eds_tags_find(&r->signature->tags, name);
}

static const struct eds_tag *required(struct reader *r, const char *name)
{
	const struct eds_tag *tag = optional(r, name);

	if (tag == NULL) {
		EDS_ERROR(r->ctx, r->signature, "tag-missing",
			"The signature has no %s= tag; correct the signer.", name);
		r->broken = true;
	}
	return tag;
}

static void invalid(struct reader *r, const char *name, const char *wanted)
{
	EDS_ERROR(r->ctx, r->signature, "tag-invalid",
		"The signature's %s= tag must be %s; correct the signer.", name, wanted);
	r->broken = true;
}

static void read_version(struct reader *r)
{
	const struct eds_tag *tag = required(r, "v");

	if (tag && !eds_tag_is(tag, "1"))
		invalid(r, "v", "1");
}

static void read_algorithm(struct reader *r)
{
	const struct eds_tag *tag = required(r, "a");

	if (tag == NULL)
		return;
	r->signature->algorithm = eds_tag_text(r->ctx, tag);
	r->signature->ed25519 = eds_tag_is(tag, "ed25519-sha256");
	if (r->signature->ed25519 || eds_tag_is(tag, "rsa-sha256"))
		return;
	EDS_ERROR(r->ctx, r->signature, "algorithm-unsupported", "%s",
		eds_tag_is(tag, "rsa-sha1")
			? "The signature uses rsa-sha1, which no verifier accepts any more (RFC "
			  "8301); let the signer use rsa-sha256."
			: "The signature's algorithm is unknown; let the signer use rsa-sha256.");
	r->broken = true;
}

static bool read_method(const char *text, size_t length, bool *relaxed)
{
	*relaxed = length == 7 && memcmp(text, "relaxed", 7) == 0;
	return *relaxed || (length == 6 && memcmp(text, "simple", 6) == 0);
}

/* "relaxed" without a second part means relaxed/simple. */
static void read_canonicalization(struct reader *r)
{
	struct eds_signature *signature = r->signature;
	const struct eds_tag *tag = optional(r, "c");
	const char *slash;
	size_t header;

	if (tag == NULL)
		return;
	signature->canonicalization = eds_tag_text(r->ctx, tag);
	slash = memchr(tag->value, '/', tag->value_length);
	header = slash ? (size_t)(slash - tag->value) : tag->value_length;
	if (!read_method(tag->value, header, &signature->relaxed_header) ||
		(slash &&
			!read_method(slash + 1, tag->value_length - header - 1,
				&signature->relaxed_body)))
		invalid(r, "c", "simple or relaxed for the header and for the body");
}

/* The decoded value of a base64 tag; NULL when the tag is missing or invalid. */
static const char *read_base64(struct reader *r, const char *name, size_t *length)
{
	const struct eds_tag *tag = required(r, name);
	const char *packed;
	const char *bytes;

	if (tag == NULL)
		return NULL;
	packed = eds_tag_packed(r->ctx, tag);
	bytes = rt_base64_decode(r->ctx, packed, strlen(packed), length);
	return bytes && *length > 0 ? bytes : NULL;
}

static void read_hashes(struct reader *r)
{
	size_t length = 0;

	if (!read_base64(r, "b", &length) && optional(r, "b"))
		invalid(r, "b", "valid base64");
	r->signature->body_hash = read_base64(r, "bh", &length);
	if (optional(r, "bh") && (!r->signature->body_hash || length != EDS_SHA256_BYTES))
		invalid(r, "bh", "a SHA-256 hash in base64");
}

static bool is_field_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return false;
	return length > 0;
}

static size_t count_items(const struct eds_tag *tag)
{
	size_t count = 1;

	for (size_t i = 0; i < tag->value_length; i++)
		count += tag->value[i] == ':';
	return count;
}

static bool is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The list item that begins at `at` and ends at the next colon, without surrounding white space. */
static struct eds_signed_name read_item(const char *at, const char *end)
{
	const char *colon = memchr(at, ':', (size_t)(end - at));

	if (colon)
		end = colon;
	while (at < end && is_white(*at))
		at++;
	while (at < end && is_white(end[-1]))
		end--;
	return (struct eds_signed_name){at, (size_t)(end - at)};
}

static void read_signed_names(struct reader *r)
{
	struct eds_signature *signature = r->signature;
	const struct eds_tag *tag = required(r, "h");
	bool from = false;
	const char *at;

	if (tag == NULL)
		return;
	at = tag->value;
	signature->signed_count = count_items(tag);
	signature->signed_names = rt_alloc_array(
		r->ctx, signature->signed_count, sizeof *signature->signed_names);
	for (size_t i = 0; i < signature->signed_count; i++) {
		const char *end = tag->value + tag->value_length;
		struct eds_signed_name name = read_item(at, end);

		if (!is_field_name(name.name, name.length)) {
			invalid(r, "h", "a list of header field names");
			return;
		}
		from = from || (name.length == 4 && strncasecmp(name.name, "from", 4) == 0);
		signature->signed_names[i] = name;
		at = memchr(at, ':', (size_t)(end - at));
		at = at ? at + 1 : end;
	}
	if (!from)
		EDS_ERROR(r->ctx, r->signature, "from-not-signed",
			"h= leaves out the From field, which every signature must cover; correct "
			"the signer.");
}

/* True when the value is a number of at most `digits` digits. A number too large for *number
 * becomes UINT64_MAX. */
static bool read_number(const struct eds_tag *tag, size_t digits, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < tag->value_length; i++) {
		unsigned digit = (unsigned)(unsigned char)tag->value[i] - '0';

		if (digit > 9)
			return false;
		*number = *number > (UINT64_MAX - 9) / 10 ? UINT64_MAX : *number * 10 + digit;
	}
	return tag->value_length > 0 && tag->value_length <= digits;
}

static int64_t read_time(struct reader *r, const char *name)
{
	const struct eds_tag *tag = optional(r, name);
	uint64_t number;

	if (tag == NULL)
		return -1;
	if (read_number(tag, TIME_DIGITS_MAX, &number))
		return (int64_t)number;
	invalid(r, name, "a time in seconds since 1970");
	return -1;
}

static void read_numbers(struct reader *r)
{
	struct eds_signature *signature = r->signature;
	const struct eds_tag *tag = optional(r, "l");

	signature->has_body_length = tag != NULL;
	if (tag && !read_number(tag, LENGTH_DIGITS_MAX, &signature->body_length))
		invalid(r, "l", "a number of octets");
	signature->signed_at_s = read_time(r, "t");
	signature->expires_at_s = read_time(r, "x");
}

/* q= lists ways to fetch the key; the only one defined is dns/txt. */
static void read_query(struct reader *r)
{
	const struct eds_tag *tag = optional(r, "q");

	if (tag == NULL || eds_tag_lists(r->ctx, tag, "dns/txt"))
		return;
	EDS_ERROR(r->ctx, r->signature, "query-unsupported",
		"q= does not offer dns/txt, the only way to fetch keys; correct the signer.");
	r->broken = true;
}

static void read_domain_and_selector(struct reader *r)
{
	struct eds_signature *signature = r->signature;
	const struct eds_tag *domain = required(r, "d");
	const struct eds_tag *selector = required(r, "s");
	const struct eds_tag *identity = optional(r, "i");

	if (domain && !eds_signature_domain(r->ctx, domain, &signature->domain))
		invalid(r, "d", "a domain name (A-labels)");
	if (selector && !eds_signature_domain(r->ctx, selector, &signature->selector))
		invalid(r, "s", "a selector: labels of letters, digits and hyphens");
	if (*signature->domain && *signature->selector)
		signature->key_name = eds_signature_key_name(
			r->ctx, signature->selector, signature->domain);
	if (*signature->domain && *signature->selector && !*signature->key_name)
		invalid(r, "s", "short enough for s._domainkey.d to be a name");
	signature->identity = identity ? eds_signature_identity(r->ctx, identity)
				       : rt_printf(r->ctx, "@%s", signature->domain);
	if (!strchr(signature->identity, '@'))
		invalid(r, "i", "an address, or @ and a domain");
	else if (!eds_dns_name_covers(signature->domain, strrchr(signature->identity, '@') + 1))
		EDS_ERROR(r->ctx, r->signature, "identity-mismatch",
			"The domain of i= must be that of d= or one below it; correct the signer.");
}

static bool read_list(struct reader *r, const struct eds_field *field)
{
	struct eds_signature *signature = r->signature;

	switch (eds_tags_read(field->value, field->value_length, &signature->tags)) {
	case EDS_TAGS_OK:
		return true;
	case EDS_TAGS_DUPLICATE:
		EDS_ERROR(r->ctx, r->signature, "signature-tag-duplicate",
			"The signature has a tag twice (character %zu); correct the signer.",
			signature->tags.at + 1);
		return false;
	case EDS_TAGS_TOO_MANY:
		EDS_ERROR(r->ctx, r->signature, "signature-syntax",
			"The signature has more than %d tags; correct the signer.", EDS_TAGS_MAX);
		return false;
	case EDS_TAGS_SYNTAX:
		break;
	}
	EDS_ERROR(r->ctx, r->signature, "signature-syntax",
		"The signature is not a list of tag=value pairs (character %zu); correct the "
		"signer.",
		signature->tags.at + 1);
	return false;
}

void eds_signature_read(
	struct rt_ctx *ctx, const struct eds_field *field, struct eds_signature *signature)
{
	struct reader r = {.ctx = ctx, .signature = signature};
	bool whole;

	*signature = (struct eds_signature){
		.field = field,
		.domain = "",
		.selector = "",
		.identity = "",
		.algorithm = "",
		.canonicalization = "simple/simple",
		.key_name = "",
		.signed_at_s = -1,
		.expires_at_s = -1,
	};
	/* Reads the tags before a fault as well, since they show whose signature it is. */
	whole = read_list(&r, field);
	read_version(&r);
	read_algorithm(&r);
	read_canonicalization(&r);
	read_hashes(&r);
	read_signed_names(&r);
	read_numbers(&r);
	read_query(&r);
	read_domain_and_selector(&r);
	if (!whole) /* later errors would only follow from this one */
		signature->errors.count = 1;
	signature->readable = whole && !r.broken;
}

void eds_signature_judge_time(
	struct rt_ctx *ctx, struct eds_signature *signature, int64_t received_at_ms)
{
	int64_t now_s = received_at_ms / 1000;
	int64_t from = signature->signed_at_s;
	int64_t until = signature->expires_at_s;

	if (from >= 0 && until >= 0 && until <= from)
		eds_finding_add(ctx, &signature->errors, "signature-times",
			"The signature expires (x=) before it was made (t=); correct the signer.");
	else if (until >= 0 && now_s > until)
		eds_finding_add(ctx, &signature->errors, "signature-expired",
			"The signature had expired %lld seconds before the message arrived; let "
			"the signer set a later x=, or none.",
			(long long)(now_s - until));
	if (from > now_s + EDS_SIGNATURE_FUTURE_S)
		eds_finding_add(ctx, &signature->errors, "signature-in-future",
			"The signature was made %lld seconds after the message arrived (t=); set "
			"the signer's clock.",
			(long long)(from - now_s));
}

bool eds_signature_identity_is_domain(const struct eds_signature *signature)
{
	const char *at = strrchr(signature->identity, '@');

	return at && strcasecmp(at + 1, signature->domain) == 0;
}

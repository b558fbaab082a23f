#include "functions/lib/dkim/dkim-verify.h"
#include "functions/lib/dkim/dkim-feed-header.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/dkim/body-hash.h"
#include "functions/lib/dkim/dkim-library.h"

struct verifier {
	struct rt_ctx *ctx;
	const struct eds_lookup *lookup;
	struct eds_header header;
	const char *body;
	size_t body_length;
	int64_t received_at_ms;
};

/* One signature during its verification. */
struct check {
	struct eds_signature signature;
	struct eds_key_record key;
	struct eds_body_hash hash;
	const char *limit; /* a sentence that says why the signature could not be checked; "" if it
			    * was */
	struct eds_dkim_signature *out;
};

static void add_findings(
	struct verifier *v, struct eds_findings *to, const struct eds_findings *from)
{
	for (size_t i = 0; i < from->count; i++)
		eds_finding_add(v->ctx, to, from->items[i].code, "%s", from->items[i].message);
}

static void describe(struct check *check)
{
	const struct eds_signature *signature = &check->signature;
	struct eds_dkim_signature *out = check->out;

	out->domain = signature->domain;
	out->selector = signature->selector;
	out->identity = signature->identity;
	out->algorithm = signature->algorithm;
	out->canonicalization = signature->canonicalization;
}

static void check_type(struct verifier *v, struct check *check)
{
	enum eds_key_type wanted = check->signature.ed25519 ? EDS_KEY_ED25519 : EDS_KEY_RSA;

	if (check->key.type != EDS_KEY_UNKNOWN && check->signature.readable &&
		check->key.type != wanted)
		EDS_ERROR(v->ctx, check->out, "key-type-mismatch",
			"The signature needs a key of type %s, but the record contains one of type "
			"%s; let signer and record agree.",
			eds_key_type_name(wanted), eds_key_type_name(check->key.type));
}

static void fetch_key(struct verifier *v, struct check *check)
{
	struct eds_key_record *key = &check->key;
	struct eds_dkim_signature *out = check->out;

	*key = (struct eds_key_record){.state = EDS_KEY_UNASKED};
	if (*check->signature.key_name == '\0')
		return;
	eds_key_record_from_answer(v->ctx,
		v->lookup->get(v->lookup->arg, check->signature.key_name, EDS_DNS_TXT), key);
	out->key_state = key->state;
	out->key_type = key->type;
	out->key_bits = key->bits;
	out->key_testing = key->testing;
	add_findings(v, &out->errors, &key->errors);
	add_findings(v, &out->warnings, &key->warnings);
	check_type(v, check);
	if (key->strict_identity && !eds_signature_identity_is_domain(&check->signature))
		EDS_ERROR(v->ctx, check->out, "identity-mismatch",
			"The key says t=s, so i= must have the domain of d= itself; correct the "
			"signer, or remove s from t=.");
	if (key->public_key && !eds_library_holds(key)) {
		out->key_state = EDS_KEY_UNSUPPORTED;
		check->limit = "The key is too long to be verified here.";
	}
}

static void check_from(struct verifier *v, struct check *check)
{
	size_t present = eds_header_count(&v->header, "From");
	size_t covered = 0;

	for (size_t i = 0; i < check->signature.signed_count; i++)
		covered += check->signature.signed_names[i].length == 4 &&
			strncasecmp(check->signature.signed_names[i].name, "from", 4) == 0;
	if (*v->header.limit)
		return; /* the part of the header that was not read may contain another From
			 * field */
	if (present == 0)
		EDS_ERROR(v->ctx, check->out, "from-missing",
			"The message has no From field, which a signature must cover; let the "
			"sending program write one.");
	else if (covered > 0 && covered < present)
		EDS_WARN(v->ctx, check->out, "from-partly-signed",
			"The message has %zu From fields, but the signature covers %zu; "
			"receivers distrust such mail.",
			present, covered);
}

/* Refuses a malformed header (section 3.8). Parsers disagree about where such a header or one of
 * its fields ends, so a receiver may show another message than the one that was signed. */
static void check_form(struct verifier *v, struct check *check)
{
	if (v->header.malformed)
		EDS_ERROR(v->ctx, check->out, "header-malformed",
			"The header has a line that is not a field, so receivers may read different "
			"headers from it; correct the program that writes the line.");
}

/* l= (section 3.5): a value over the body's length makes the signature invalid; any other lets
 * anybody append text. */
static void check_body_length(struct verifier *v, struct check *check, uint64_t length)
{
	const struct eds_signature *signature = &check->signature;

	if (!signature->has_body_length)
		return;
	if (signature->body_length > length)
		EDS_ERROR(v->ctx, check->out, "body-too-short",
			"l= covers more than the %llu octets the body has; find the program "
			"that cut off the end of the message in transit.",
			(unsigned long long)length);
	else
		EDS_WARN(v->ctx, check->out, "body-partly-signed",
			"l= leaves %llu octets of the body unsigned, and anybody can append "
			"more; let the signer leave out l=.",
			(unsigned long long)(length - signature->body_length));
}

static void check_body(struct verifier *v, struct check *check)
{
	check_body_length(v, check, check->hash.length);
	if (memcmp(check->hash.sha256, check->signature.body_hash, EDS_SHA256_BYTES) == 0) {
		check->out->body_hash = EDS_DKIM_HASH_MATCH;
		return;
	}
	check->out->body_hash = EDS_DKIM_HASH_MISMATCH;
	EDS_ERROR(v->ctx, check->out, "body-hash-mismatch",
		"The body was changed after it was signed; look for what adds footers, rewrites "
		"links or recodes the text on the way.");
}

static const struct eds_key_record *usable_key(const struct check *check)
{
	enum eds_key_type wanted = check->signature.ed25519 ? EDS_KEY_ED25519 : EDS_KEY_RSA;

	return check->key.public_key && check->key.type == wanted && eds_library_holds(&check->key)
		? &check->key
		: NULL;
}

static void check_header(struct verifier *v, struct check *check)
{
	const struct eds_key_record *key = usable_key(check);
	struct eds_library_result result;
	struct eds_feed feed;

	if (key == NULL)
		return;
	eds_feed_header(v->ctx, &v->header, &check->signature, &feed);
	check->limit = *v->header.limit ? v->header.limit : feed.limit;
	if (*check->limit)
		return;
	eds_library_verify(&check->signature, &feed, key, &result);
	check->limit = result.refused;
	check->out->header_hash = result.header_hash;
	if (result.header_hash == EDS_DKIM_HASH_MISMATCH)
		EDS_ERROR(v->ctx, check->out, "signature-mismatch",
			"The signature fits neither the header nor the key: a signed header field "
			"was changed on the way, or the key in DNS is not the signer's; publish "
			"the key that the server signs with, and look for what rewrites the header "
			"after signing.");
}

static enum eds_dkim_state decide(struct verifier *v, struct check *check)
{
	const struct eds_dkim_signature *out = check->out;

	if (check->key.state == EDS_KEY_TEMPORARY)
		return EDS_DKIM_TEMPORARY;
	if (out->errors.count > 0)
		return check->key.testing ? EDS_DKIM_TESTING : EDS_DKIM_INVALID;
	if (out->header_hash == EDS_DKIM_HASH_MATCH && out->body_hash == EDS_DKIM_HASH_MATCH &&
		*check->limit == '\0')
		return EDS_DKIM_VALID;
	EDS_ERROR(v->ctx, check->out, "signature-unchecked", "%s",
		*check->limit ? check->limit : "The verifier gave no verdict.");
	return EDS_DKIM_UNCHECKED;
}

static void read_field(struct verifier *v, const struct eds_field *field, struct check *check)
{
	struct eds_signature *signature = &check->signature;

	check->limit = "";
	eds_signature_read(v->ctx, field, signature);
	eds_signature_judge_time(v->ctx, signature, v->received_at_ms);
	check->hash.limit = signature->has_body_length ? signature->body_length : UINT64_MAX;
	describe(check);
	add_findings(v, &check->out->errors, &signature->errors);
}

/* Hashes the body in one canonicalization, in one pass for all signatures that use it. */
static void hash_body(struct verifier *v, bool relaxed, struct check *checks, size_t count)
{
	struct eds_body_hash *hashes[EDS_DKIM_SIGNATURES_MAX];
	size_t wanted = 0;

	for (size_t i = 0; i < count; i++)
		if (checks[i].signature.readable && checks[i].signature.relaxed_body == relaxed)
			hashes[wanted++] = &checks[i].hash;
	if (wanted > 0)
		eds_body_hash(v->body, v->body_length, relaxed, hashes, wanted);
}

static void verify_field(struct verifier *v, struct check *check)
{
	fetch_key(v, check);
	check_from(v, check);
	check_form(v, check);
	if (check->signature.readable) {
		check_body(v, check);
		check_header(v, check);
	}
	check->out->state = decide(v, check);
}

static void verify_all(struct verifier *v, struct eds_dkim_result *result)
{
	struct check *checks = rt_alloc_array(v->ctx, result->count, sizeof *checks);

	for (size_t i = 0; i < result->count; i++) {
		checks[i].out = &result->signatures[i];
		read_field(v, eds_header_find(&v->header, "DKIM-Signature", i), &checks[i]);
	}
	hash_body(v, false, checks, result->count);
	hash_body(v, true, checks, result->count);
	for (size_t i = 0; i < result->count; i++)
		verify_field(v, &checks[i]);
}

void eds_dkim_verify(struct rt_ctx *ctx, const struct eds_lookup *lookup, const char *message,
	size_t length, int64_t received_at_ms, struct eds_dkim_result *result)
{
	struct verifier v = {.ctx = ctx, .lookup = lookup, .received_at_ms = received_at_ms};

	result->count = 0;
	result->failure = "";
	eds_header_read(ctx, message, length, &v.header);
	result->total = eds_header_count(&v.header, "DKIM-Signature");
	if (result->total == 0)
		return;
	v.body = message + v.header.body_offset;
	v.body_length = length - v.header.body_offset;
	result->count = result->total < EDS_DKIM_SIGNATURES_MAX ? result->total
								: EDS_DKIM_SIGNATURES_MAX;
	/* clears only the elements in use, because each page that a child touches costs time */
	memset(result->signatures, 0, result->count * sizeof *result->signatures);
	verify_all(&v, result);
}

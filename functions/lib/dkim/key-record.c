#include "functions/lib/dkim/key-record.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/dkim/key-der.h"
#include "functions/lib/dkim/tags.h"
#include "runtime/text/base64.h"

enum {
	USUAL_EXPONENT = 65537,
	SHOWN_MAX = 40, /* maximum number of octets that a sentence shows of a record's value */
};

struct reader {
	struct rt_ctx *ctx;
	struct eds_key_record *key;
	struct eds_tags tags;
};

/* A tag's value in a form that is safe in a sentence. */
static const char *shown(struct reader *r, const struct eds_tag *tag)
{
	bool cut = tag->value_length > SHOWN_MAX;
	char *text = rt_memdup(r->ctx, tag->value, cut ? SHOWN_MAX : tag->value_length);

	for (char *at = text; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return cut ? rt_printf(r->ctx, "%s…", text) : text;
}

static bool read_tags(struct reader *r, const char *text, size_t length)
{
	switch (eds_tags_read(text, length, &r->tags)) {
	case EDS_TAGS_OK:
		return true;
	case EDS_TAGS_DUPLICATE:
		EDS_ERROR(r->ctx, r->key, "key-tag-duplicate",
			"The record has a tag twice (character %zu); remove one of them.",
			r->tags.at + 1);
		return false;
	case EDS_TAGS_TOO_MANY:
		EDS_ERROR(r->ctx, r->key, "key-syntax",
			"The record has more than %d tags; remove those that are not DKIM tags.",
			EDS_TAGS_MAX);
		return false;
	case EDS_TAGS_SYNTAX:
		break;
	}
	EDS_ERROR(r->ctx, r->key, "key-syntax",
		"The record is not a list of tag=value pairs separated by semicolons (character "
		"%zu); publish it as v=DKIM1; k=rsa; p=….",
		r->tags.at + 1);
	return false;
}

/* Quotes and backslashes belong to zone-file syntax, never to the record itself. */
static bool check_quoting(struct reader *r, const char *text, size_t length)
{
	if (!memchr(text, '"', length) && !memmem(text, length, "\\;", 2))
		return true;
	EDS_ERROR(r->ctx, r->key, "key-quoted",
		"The record holds quotation marks or backslashes as characters; enter it without "
		"them in your DNS provider's form.");
	return false;
}

/* v= is optional, but if present it must be DKIM1 and the first tag. */
static void check_version(struct reader *r)
{
	const struct eds_tag *version = eds_tags_find(&r->tags, "v");

	if (version == NULL)
		EDS_WARN(r->ctx, r->key, "key-no-version",
			"The record has no v=DKIM1; put it first.");
	else if (!eds_tag_is(version, "DKIM1"))
		EDS_ERROR(r->ctx, r->key, "key-version",
			"The version is \"%s\"; the record must begin with v=DKIM1.",
			shown(r, version));
	else if (version != r->tags.items)
		EDS_ERROR(r->ctx, r->key, "key-version",
			"v=DKIM1 must be the first tag of the record; move it.");
}

static void check_hashes(struct reader *r)
{
	const struct eds_tag *hashes = eds_tags_find(&r->tags, "h");

	if (hashes == NULL)
		return;
	if (!eds_tag_lists(r->ctx, hashes, "sha256"))
		EDS_ERROR(r->ctx, r->key, "key-hash",
			"h= allows only \"%s\", but signatures use sha256; remove h= or name "
			"sha256 in it.",
			shown(r, hashes));
	if (eds_tag_lists(r->ctx, hashes, "sha1"))
		EDS_WARN(r->ctx, r->key, "key-sha1",
			"h= names sha1, which no verifier accepts any more (RFC 8301); remove it.");
}

static void check_service(struct reader *r)
{
	const struct eds_tag *service = eds_tags_find(&r->tags, "s");

	if (service && !eds_tag_lists(r->ctx, service, "*") &&
		!eds_tag_lists(r->ctx, service, "email"))
		EDS_ERROR(r->ctx, r->key, "key-service",
			"s= allows only \"%s\", not e-mail; remove s= or write s=email.",
			shown(r, service));
}

static void read_flags(struct reader *r)
{
	const struct eds_tag *flags = eds_tags_find(&r->tags, "t");

	if (eds_tags_find(&r->tags, "g"))
		EDS_WARN(r->ctx, r->key, "key-granularity",
			"g= is obsolete and ignored (RFC 6376); remove it.");
	if (flags == NULL)
		return;
	r->key->testing = eds_tag_lists(r->ctx, flags, "y");
	r->key->strict_identity = eds_tag_lists(r->ctx, flags, "s");
	if (r->key->testing)
		EDS_WARN(r->ctx, r->key, "key-testing",
			"t=y says that the domain only tests DKIM, so receivers treat its mail "
			"as unsigned when a signature fails; remove it when the tests are done.");
}

static void read_type(struct reader *r)
{
	const struct eds_tag *type = eds_tags_find(&r->tags, "k");

	if (type == NULL || eds_tag_is(type, "rsa"))
		r->key->type = EDS_KEY_RSA;
	else if (eds_tag_is(type, "ed25519"))
		r->key->type = EDS_KEY_ED25519;
	else
		EDS_ERROR(r->ctx, r->key, "key-type-unknown",
			"The key type k=%s is unknown; use rsa or ed25519.", shown(r, type));
}

static void check_size(struct reader *r, const struct eds_der_key *der)
{
	if (der->bits < EDS_RSA_BITS_MIN)
		EDS_ERROR(r->ctx, r->key, "key-too-short",
			"The RSA key has %u bits; at least 1024 are needed (RFC 8301). Make one "
			"of 2048 bits under a new selector.",
			der->bits);
	else if (der->bits < EDS_RSA_BITS_GOOD)
		EDS_WARN(r->ctx, r->key, "key-short",
			"The RSA key has %u bits; make one of 2048 bits under a new selector.",
			der->bits);
	else if (der->bits > EDS_RSA_BITS_LONG)
		EDS_WARN(r->ctx, r->key, "key-long",
			"The RSA key has %u bits; many receivers verify no more than 4096. Use "
			"one of 2048 bits.",
			der->bits);
}

/* The longer the exponent, the longer a verification takes. If the exponent has 2560 bits,
 * verification takes 44 times as long as with the usual exponent 65537, which has 17 bits. Only an
 * attacker publishes such a key. */
static bool check_exponent(struct reader *r, const struct eds_der_key *der)
{
	if (der->exponent_bits > EDS_RSA_EXPONENT_BITS_MAX) {
		EDS_ERROR(r->ctx, r->key, "key-exponent",
			"The RSA key has an exponent of %u bits; verifiers support 64 at most. "
			"Make a new key, with the usual exponent 65537.",
			der->exponent_bits);
		return false;
	}
	if (der->exponent != USUAL_EXPONENT)
		EDS_WARN(r->ctx, r->key, "key-exponent",
			"The RSA key has an exponent other than 65537, which some receivers "
			"refuse; make a new key.");
	return true;
}

static void take_public_key(struct reader *r, const uint8_t *octets, size_t length)
{
	r->key->public_key = rt_base64_encode(r->ctx, octets, length);
	r->key->public_octets = octets;
	r->key->public_bytes = length;
}

static void take_rsa(struct reader *r, const struct eds_der_key *der)
{
	size_t length;
	const uint8_t *info = eds_der_wrap_rsa(r->ctx, der, &length);

	r->key->bits = der->bits;
	if (der->kind == EDS_DER_PKCS1)
		EDS_WARN(r->ctx, r->key, "key-pkcs1",
			"p= is a bare PKCS#1 key, which some receivers cannot read; publish the "
			"SubjectPublicKeyInfo form (openssl rsa -pubout).");
	check_size(r, der);
	if (check_exponent(r, der))
		take_public_key(r, info, length);
}

static void mismatch(struct reader *r, const char *found)
{
	EDS_ERROR(r->ctx, r->key, "key-type-mismatch",
		"k= says %s, but p= holds %s; make k= and p= agree.",
		eds_key_type_name(r->key->type), found);
}

static void read_rsa(struct reader *r, const struct eds_der_key *der, size_t length)
{
	if (der->kind == EDS_DER_RSA || der->kind == EDS_DER_PKCS1)
		take_rsa(r, der);
	else if (der->kind == EDS_DER_ED25519 || length == EDS_ED25519_BYTES)
		mismatch(r, "an Ed25519 key");
	else
		EDS_ERROR(r->ctx, r->key, "key-der",
			"p= does not decode to exactly one RSA public key; publish the whole key, "
			"and nothing else.");
}

static void read_ed25519(
	struct reader *r, const struct eds_der_key *der, const char *bytes, size_t length)
{
	if (length == EDS_ED25519_BYTES) {
		r->key->bits = EDS_ED25519_BITS;
		take_public_key(r, (const uint8_t *)bytes, length);
	} else if (der->kind == EDS_DER_RSA || der->kind == EDS_DER_PKCS1) {
		mismatch(r, "an RSA key");
	} else {
		EDS_ERROR(r->ctx, r->key, "key-der",
			"p= must be the 32 octets of the Ed25519 key alone, without an ASN.1 "
			"frame (RFC 8463 section 4.2); here it has %zu.",
			length);
	}
}

static void read_public_key(struct reader *r)
{
	const struct eds_tag *tag = eds_tags_find(&r->tags, "p");
	struct eds_der_key der;
	const char *packed;
	const char *bytes;
	size_t length;

	if (tag == NULL) {
		EDS_ERROR(r->ctx, r->key, "key-no-public-key",
			"The record has no p= tag; publish the public key.");
		return;
	}
	packed = eds_tag_packed(r->ctx, tag);
	if (*packed == '\0') {
		EDS_ERROR(r->ctx, r->key, "key-revoked",
			"p= is empty: the key is revoked. Sign with another selector, or publish "
			"the key again.");
		return;
	}
	bytes = rt_base64_decode(r->ctx, packed, strlen(packed), &length);
	if (bytes == NULL) {
		EDS_ERROR(r->ctx, r->key, "key-base64",
			"p= is not valid base64; publish the key again, whole and unchanged.");
		return;
	}
	eds_der_key_read((const uint8_t *)bytes, length, &der);
	if (r->key->type == EDS_KEY_RSA)
		read_rsa(r, &der, length);
	else if (r->key->type == EDS_KEY_ED25519)
		read_ed25519(r, &der, bytes, length);
}

static enum eds_key_state state_of(const struct eds_key_record *key)
{
	if (eds_finding_has(&key->errors, "key-revoked"))
		return EDS_KEY_REVOKED;
	return key->errors.count > 0 ? EDS_KEY_INVALID : EDS_KEY_FOUND;
}

void eds_key_record_read(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_key_record *key)
{
	struct reader r = {.ctx = ctx, .key = key};

	*key = (struct eds_key_record){.text = rt_memdup(ctx, text, length)};
	if (length > EDS_DKIM_KEY_RECORD_MAX)
		EDS_WARN(r.ctx, r.key, "key-record-long",
			"The record has %zu characters; some receivers read no more than 1024. "
			"Remove notes (n=), or use a key of 2048 bits.",
			length);
	if (check_quoting(&r, text, length) && read_tags(&r, text, length)) {
		check_version(&r);
		read_type(&r);
		check_hashes(&r);
		check_service(&r);
		read_flags(&r);
		read_public_key(&r);
	}
	key->state = state_of(key);
}

/* True for a record of SPF, DMARC or the like, which a wildcard may return: the record begins with
 * v= and a word that does not begin with DKIM. */
static bool is_of_another_kind(const struct eds_dns_record *record)
{
	const char *text = record->txt;
	size_t length = record->txt_length;

	return length > 2 && strncasecmp(text, "v=", 2) == 0 &&
		!(length >= 6 && strncasecmp(text + 2, "DKIM", 4) == 0) && text[2] != ' ' &&
		text[2] != ';';
}

static void set_missing(
	struct reader *r, enum eds_key_state state, const char *code, const char *text)
{
	r->key->state = state;
	EDS_ERROR(r->ctx, r->key, code, "%s", text);
}

/* A tag list with v=DKIM… or p= is meant as a key, even when it is otherwise invalid. */
static bool is_meant_as_key(struct reader *r, const struct eds_dns_record *record)
{
	const struct eds_tag *version;

	if (eds_tags_read(record->txt, record->txt_length, &r->tags) != EDS_TAGS_OK &&
		r->tags.count == 0)
		return false;
	version = eds_tags_find(&r->tags, "v");
	if (version != NULL && version->value_length >= 4 &&
		strncasecmp(version->value, "DKIM", 4) == 0)
		return true;
	return eds_tags_find(&r->tags, "p") != NULL;
}

/* With several TXT records at a name the result is undefined: a receiver may use any of the records
 * or none (RFC 6376 section 3.6.2.2). */
static void refuse_several(struct reader *r, const struct eds_dns_answer *answer)
{
	size_t keys = 0;

	for (size_t i = 0; i < answer->count; i++)
		keys += is_meant_as_key(r, &answer->records[i]);
	if (keys == 1)
		set_missing(r, EDS_KEY_INVALID, "key-other-text",
			"The name has one key record and other text beside it, and a receiver may "
			"use either; remove the other text.");
	else if (keys == 0)
		set_missing(r, EDS_KEY_MISSING, "key-no-txt",
			"The name has TXT records, but none is a DKIM key; publish the key there.");
	else
		set_missing(r, EDS_KEY_INVALID, "key-several",
			"The name has several key records, and a receiver may use any of them "
			"or none; keep one.");
}

static void choose_record(struct reader *r, const struct eds_dns_answer *answer)
{
	const struct eds_dns_record *chosen = NULL;
	size_t count = 0;

	for (size_t i = 0; i < answer->count; i++) {
		if (is_of_another_kind(&answer->records[i]))
			continue;
		chosen = &answer->records[i];
		count++;
	}
	if (count == 1)
		eds_key_record_read(r->ctx, chosen->txt, chosen->txt_length, r->key);
	else if (count == 0)
		set_missing(r, EDS_KEY_MISSING, "key-no-txt",
			"The name has TXT records, but none is a DKIM key; publish the key there.");
	else
		refuse_several(r, answer);
}

void eds_key_record_from_answer(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_key_record *key)
{
	struct reader r = {.ctx = ctx, .key = key};

	*key = (struct eds_key_record){.text = ""};
	switch (answer->state) {
	case EDS_DNS_FOUND:
		choose_record(&r, answer);
		break;
	case EDS_DNS_NO_NAME:
		if (answer->aliased)
			set_missing(&r, EDS_KEY_MISSING, "key-cname-dangling",
				"The name is an alias (CNAME) to a name that does not exist; "
				"correct the alias, or ask the provider it belongs to.");
		else
			set_missing(&r, EDS_KEY_MISSING, "key-missing",
				"The name of the key does not exist in DNS; publish the key "
				"there.");
		break;
	case EDS_DNS_NO_DATA:
		set_missing(&r, EDS_KEY_MISSING, "key-no-txt",
			"The name of the key has no TXT record; publish the key there.");
		break;
	case EDS_DNS_TEMPORARY:
		set_missing(&r, EDS_KEY_TEMPORARY, "key-temporary",
			eds_dns_resolver_is_away(answer)
				? "This service cannot reach its DNS resolver now, so nothing is "
				  "known about the key."
				: "DNS gave no answer for the key; if this persists, check the "
				  "domain's name servers.");
		break;
	}
	key->aliased = answer->aliased;
}

const char *eds_key_type_name(enum eds_key_type type)
{
	static const char *const names[] = {
		[EDS_KEY_UNKNOWN] = "", [EDS_KEY_RSA] = "rsa", [EDS_KEY_ED25519] = "ed25519"};

	return names[type];
}

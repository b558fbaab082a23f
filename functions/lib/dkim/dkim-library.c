#include "functions/lib/dkim/dkim-library.h"

#include <opendkim/dkim.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "functions/lib/dkim/fast-key.h"

enum {
	GUARD_RANDOM_BYTES = 16,
};

struct verification {
	const struct eds_key_record *key;
	DKIM_LIB *lib;
	DKIM *dkim;
	DKIM_SIGINFO *signature;
	struct eds_library_result *result;
};

static size_t key_record(const struct eds_key_record *key, char *text, size_t size)
{
	int length = snprintf(
		text, size, "v=DKIM1; k=%s; p=%s", eds_key_type_name(key->type), key->public_key);

	return length < 0 ? size : (size_t)length;
}

bool eds_library_holds(const struct eds_key_record *key)
{
	char text[EDS_DKIM_KEY_RECORD_MAX + 1];

	return key_record(key, text, sizeof text) <= EDS_DKIM_KEY_RECORD_MAX;
}

/* Answers the library's question for the key with a record of our own, so that the library's
 * lenient parsing of records has no effect. */
static DKIM_CBSTAT answer_key(DKIM *dkim, DKIM_SIGINFO *sig, u_char *buffer, size_t size)
{
	const struct verification *v = dkim_get_user_context(dkim);

	(void)sig;
	return key_record(v->key, (char *)buffer, size) < size ? DKIM_CBSTAT_CONTINUE
							       : DKIM_CBSTAT_ERROR;
}

static bool refuse(struct verification *v, const char *reason)
{
	v->result->refused = reason;
	return false;
}

/* Returns a clock drift so large that the library accepts the times of any signature with a recent
 * t= or none. Our own code compares the times with the time at which the message was received. With
 * this drift a signature is neither expired (now >= x + drift) nor from the future (now < t -
 * drift, a difference that must not wrap). */
static uint64_t harmless_drift_s(const struct eds_signature *signature)
{
	return signature->signed_at_s >= 0 ? (uint64_t)signature->signed_at_s : INT32_MAX;
}

static void set_options(DKIM_LIB *lib, const struct eds_signature *signature)
{
	/* BADSIGHANDLES: a From field that the library cannot parse (a group) does not end the
	 * verification. Our code has already rejected everything else that this flag permits. */
	u_int flags = DKIM_LIBFLAGS_DELAYSIGPROC | DKIM_LIBFLAGS_BADSIGHANDLES;
	uint64_t drift = harmless_drift_s(signature);
	u_int key_bits = 0; /* no minimum: our code judges key sizes, and the library's check would
			     * hide whether the signature matches */

	dkim_options(lib, DKIM_OP_SETOPT, DKIM_OPTS_FLAGS, &flags, sizeof flags);
	dkim_options(lib, DKIM_OP_SETOPT, DKIM_OPTS_CLOCKDRIFT, &drift, sizeof drift);
	dkim_options(lib, DKIM_OP_SETOPT, DKIM_OPTS_MINKEYBITS, &key_bits, sizeof key_bits);
	dkim_set_key_lookup(lib, answer_key);
}

static bool open_library(struct verification *v, const struct eds_signature *signature)
{
	DKIM_STAT status = DKIM_STAT_OK;

	eds_fast_key_use();
	v->lib = dkim_init(NULL, NULL);
	if (v->lib == NULL)
		return refuse(v, "The verifier ran out of memory.");
	set_options(v->lib, signature);
	v->dkim = dkim_verify(v->lib, (const u_char *)"message", NULL, &status);
	if (v->dkim == NULL)
		return refuse(v, "The verifier ran out of memory.");
	dkim_set_user_context(v->dkim, v);
	return true;
}

static DKIM_STAT feed_text(struct verification *v, const char *text, size_t length)
{
	return dkim_header(v->dkim, (u_char *)(uintptr_t)text, length);
}

/* Adds a field with a random name, which h= cannot contain. Without this field, the library would
 * write beyond its array when h= names every field of the header and one more. */
static bool feed_guard(struct verification *v)
{
	unsigned char random[GUARD_RANDOM_BYTES];
	char field[2 * GUARD_RANDOM_BYTES + 8] = "X-";
	size_t used = 2;

	rt_random(random, sizeof random);
	for (size_t i = 0; i < sizeof random; i++, used += 2)
		snprintf(field + used, sizeof field - used, "%02x", random[i]);
	memcpy(field + used, ": x", 3);
	return feed_text(v, field, used + 3) == DKIM_STAT_OK;
}

/* A covered signature that the library cannot parse counts as an ordinary field: the library has
 * added it before it returns SYNTAX. */
static bool is_taken(DKIM_STAT status, const struct eds_feed_field *field, bool covered)
{
	static const char name[] = DKIM_SIGNHEADER ":";

	return status == DKIM_STAT_OK ||
		(status == DKIM_STAT_SYNTAX && covered && field->length >= sizeof name &&
			strncasecmp(field->text, name, sizeof name - 1) == 0);
}

static bool feed_header(struct verification *v, const struct eds_feed *header)
{
	for (size_t i = 0; i < header->count; i++) {
		const struct eds_feed_field *field = &header->fields[i];

		if (!is_taken(feed_text(v, field->text, field->length), field, i > 0))
			return refuse(v,
				"The verifier cannot read a header field that the "
				"signature covers.");
	}
	if (!feed_guard(v) || dkim_eoh(v->dkim) != DKIM_STAT_OK)
		return refuse(v, "The verifier cannot read the header.");
	return true;
}

/* Selects the first signature, the one to verify; the others are only covered text. */
static bool choose_signature(struct verification *v)
{
	DKIM_SIGINFO **list = NULL;
	int count = 0;

	if (dkim_getsiglist(v->dkim, &list, &count) != DKIM_STAT_OK || count < 1)
		return refuse(v, "The verifier cannot read the signature.");
	v->signature = list[0];
	for (int i = 1; i < count; i++)
		dkim_sig_ignore(list[i]);
	if (dkim_sig_geterror(v->signature) != DKIM_SIGERROR_UNKNOWN)
		return refuse(v, "The verifier cannot read the signature.");
	return true;
}

/* Judges the header only, since body-hash.h hashes the body. */
static void judge_header(struct verification *v)
{
	DKIM_STAT status = dkim_sig_process(v->dkim, v->signature);
	unsigned flags = dkim_sig_getflags(v->signature);
	DKIM_SIGERROR error = dkim_sig_geterror(v->signature);

	if (status != DKIM_STAT_OK) {
		refuse(v, "The verifier gave no verdict.");
		return;
	}
	if (flags & DKIM_SIGFLAG_PASSED)
		v->result->header_hash = EDS_DKIM_HASH_MATCH;
	else if (error == DKIM_SIGERROR_BADSIG)
		v->result->header_hash = EDS_DKIM_HASH_MISMATCH;
	else
		refuse(v,
			eds_fast_key_count() > 0 || v->key->type == EDS_KEY_ED25519
				? "The verifier cannot use the key."
				: "The verifier was built without the function that reads keys.");
}

void eds_library_verify(const struct eds_signature *signature, const struct eds_feed *header,
	const struct eds_key_record *key, struct eds_library_result *result)
{
	struct verification v = {.key = key, .result = result};

	*result = (struct eds_library_result){.refused = ""};
	if (open_library(&v, signature) && feed_header(&v, header) && choose_signature(&v))
		judge_header(&v);
	if (v.dkim)
		dkim_free(v.dkim);
	if (v.lib)
		dkim_close(v.lib);
}

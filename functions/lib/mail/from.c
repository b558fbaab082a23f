/* A reader of address lists that only finds the domains in From (RFC 5322 section 3.4, with the
 * obsolete forms of section 4.4 and deviations that are common in practice).
 *
 * The reader only moves forward and remembers only the current element, so its cost is linear. When
 * mail programs disagree about the meaning of a list, this reader does not guess a domain; the
 * result is EDS_FROM_INVALID.
 */
#include "functions/lib/mail/from.h"
#include "functions/lib/mail/domain.h"

#include <string.h>
#include <strings.h>

#include "runtime/text/ascii.h"

enum {
	DOMAIN_BYTES_MAX = 1024, /* maximum number of octets of one domain as written, without
				  * comments and folding */
};

enum word {
	WORD_NONE,
	WORD_PLAIN,
	WORD_ENCODED, /* the words ended with an encoded word (RFC 2047) */
};

struct reader {
	struct rt_ctx *ctx;
	const char *at;
	const char *end;
	struct eds_from *from;
	bool in_group;
	bool addressed;       /* the current list element has an address */
	bool apart;           /* the words skipped last were several, not joined by a dot */
	bool words_before;    /* the address of this element has several words before its "@" */
	size_t mark;          /* number of domains before the bare addresses of this element */
	size_t mailbox_mark;  /* number of mailboxes before the bare addresses of this element */
	const char *error;    /* a sentence about the first error; NULL if there is none */
	const char *doubtful; /* the error of a bare address that may still turn out to be a display
				 name */
};

static bool more(const struct reader *r)
{
	return r->at < r->end;
}

static bool next_is(const struct reader *r, char c)
{
	return more(r) && *r->at == c;
}

static void fail(struct reader *r, const char *reason)
{
	if (r->error == NULL)
		r->error = reason;
	r->at = r->end;
}

/* True for the characters of words, including dots and brackets: `[list] J. Doe` is common. */
static bool is_atom(char c)
{
	return !rt_is_space(c) && c != '\0' && strchr("()<>:;@,\"", c) == NULL;
}

/* Skips a comment, which may contain comments (section 3.2.2). */
static void skip_comment(struct reader *r)
{
	size_t depth = 0;

	for (; more(r); r->at++) {
		if (*r->at == '\\' && r->at + 1 < r->end)
			r->at++;
		else if (*r->at == '(')
			depth++;
		else if (*r->at == ')' && --depth == 0) {
			r->at++;
			return;
		}
	}
	fail(r, "A comment in the From field is not closed.");
}

static void skip_space(struct reader *r)
{
	while (more(r) && (rt_is_space(*r->at) || *r->at == '(')) {
		if (*r->at == '(')
			skip_comment(r);
		else
			r->at++;
	}
}

static void skip_quoted(struct reader *r)
{
	for (r->at++; more(r); r->at++) {
		if (*r->at == '\\' && r->at + 1 < r->end)
			r->at++;
		else if (*r->at == '"') {
			r->at++;
			return;
		}
	}
	fail(r, "A quoted string in the From field is not closed.");
}

/* The end of a run of graphic characters other than '?'; NULL unless a '?' ends it. */
static const char *encoded_part(const char *at, const char *end)
{
	while (at < end && !rt_is_space(*at) && *at != '?')
		at++;
	return at < end && *at == '?' ? at : NULL;
}

/* Skips =?charset?Q?text?= (RFC 2047 section 2) as a whole, because its text may look like an
 * address, although section 5 forbids '@' and ',' there. */
static bool skip_encoded_word(struct reader *r)
{
	const char *charset;
	const char *text;

	if (r->end - r->at < 2 || r->at[0] != '=' || r->at[1] != '?')
		return false;
	charset = encoded_part(r->at + 2, r->end);
	if (charset == NULL || r->end - charset < 3 || strchr("bBqQ", charset[1]) == NULL ||
		charset[1] == '\0' || charset[2] != '?')
		return false;
	text = encoded_part(charset + 3, r->end);
	if (text == NULL || r->end - text < 2 || text[1] != '=')
		return false;
	r->at = text + 2;
	return true;
}

static enum word skip_word(struct reader *r)
{
	if (*r->at == '"') {
		skip_quoted(r);
		return WORD_PLAIN;
	}
	if (skip_encoded_word(r))
		return WORD_ENCODED;
	if (!is_atom(*r->at) && *r->at != ')')
		return WORD_NONE;
	r->at++;
	while (more(r) && is_atom(*r->at))
		r->at++;
	return WORD_PLAIN;
}

/* Skips words up to the next special character: a display name or a local part. A local part may
 * have dots between its words, with space around them (section 4.4, obs-local-part). */
static enum word skip_words(struct reader *r)
{
	enum word last = WORD_NONE;
	bool dotted = false; /* the last word ends with a dot */

	r->apart = false;
	for (skip_space(r); more(r); skip_space(r)) {
		const char *begin = r->at;
		enum word word = skip_word(r);

		if (word == WORD_NONE)
			break;
		if (last != WORD_NONE && !dotted && *begin != '.')
			r->apart = true;
		dotted = r->at[-1] == '.';
		last = word;
	}
	return last;
}

/* Reads atom *("." atom), with space and comments allowed around the dots (section 4.4,
 * obs-domain). Returns the length of the domain; 0 when there is no domain, or it is too long. */
static size_t read_domain_text(struct reader *r, char text[DOMAIN_BYTES_MAX])
{
	size_t length = 0;

	for (;;) {
		while (more(r) && is_atom(*r->at) && length < DOMAIN_BYTES_MAX)
			text[length++] = *r->at++;
		if (length == DOMAIN_BYTES_MAX)
			return 0;
		skip_space(r);
		if (length == 0 || !more(r) || !is_atom(*r->at))
			return length;
		if (text[length - 1] != '.' && *r->at != '.')
			return length; /* a word follows the address, so the domain ends here */
	}
}

/* The domain after an '@', or NULL with the reason. */
static const char *read_domain(struct reader *r, const char **reason)
{
	char text[DOMAIN_BYTES_MAX];
	const char *domain;
	size_t length;

	r->at++;
	skip_space(r);
	if (next_is(r, '[')) {
		*reason = "The From address has an address literal in place of a domain.";
		while (more(r) && *r->at != ']')
			r->at++;
		return NULL;
	}
	length = read_domain_text(r, text);
	domain = eds_domain_normalize(r->ctx, text, length);
	if (domain == NULL)
		*reason = "The domain of the From address is not a domain name.";
	else if (next_is(r, '@') || next_is(r, '"'))
		fail(r, "The From address continues after its domain.");
	return domain;
}

static void add_domain(struct reader *r, const char *domain)
{
	struct eds_from *from = r->from;

	from->mailboxes++;
	r->addressed = true;
	for (size_t i = 0; i < from->count; i++)
		if (strcmp(from->domains[i], domain) == 0)
			return;
	if (from->count < EDS_FROM_DOMAINS_MAX)
		from->domains[from->count++] = domain;
}

static void end_element(struct reader *r)
{
	if (r->doubtful)
		fail(r, r->doubtful);
	if (r->words_before)
		r->from->words_before = true;
	r->words_before = false;
	r->mark = r->from->count;
	r->mailbox_mark = r->from->mailboxes;
	r->addressed = false;
}

/* Reads local@domain without angle brackets. This text is a display name if an address in angle
 * brackets follows: `me@example.com <me@example.com>` is common. */
static void read_bare_address(struct reader *r, enum word before)
{
	const char *reason = NULL;
	const char *domain;

	if (before != WORD_PLAIN) {
		fail(r, "The From address has no readable local part.");
		return;
	}
	r->words_before = r->words_before || r->apart;
	domain = read_domain(r, &reason);
	if (domain)
		add_domain(r, domain);
	else
		r->doubtful = reason;
}

/* Skips "@a.example,@b.example:" in front of an address (section 4.4, obs-route), which has no
 * meaning. */
static void skip_route(struct reader *r)
{
	while (more(r) && (*r->at == '@' || *r->at == ',' || is_atom(*r->at))) {
		r->at++;
		skip_space(r);
	}
	if (next_is(r, ':'))
		r->at++;
	else
		fail(r, "The From address begins with a route that does not end.");
}

/* Adds the domain of an address in angle brackets. Bare addresses before it in the same list
 * element were its display name, so they are dropped.
 */
static void take_angle_domain(struct reader *r, const char *domain)
{
	r->from->count = r->mark;
	r->from->mailboxes = r->mailbox_mark;
	r->doubtful = NULL;
	r->words_before = r->apart;
	add_domain(r, domain);
	r->mark = r->from->count;
	r->mailbox_mark = r->from->mailboxes;
}

static void read_angle(struct reader *r)
{
	const char *reason = NULL;
	const char *domain;
	enum word before;

	r->at++;
	skip_space(r);
	if (next_is(r, '@'))
		skip_route(r);
	before = skip_words(r);
	if (next_is(r, ':')) {
		fail(r, "The From address has a colon in its local part.");
	} else if (next_is(r, '@') && before != WORD_PLAIN) {
		fail(r, "The From address has no readable local part.");
	} else if (next_is(r, '@')) {
		domain = read_domain(r, &reason);
		if (domain)
			take_angle_domain(r, domain);
		else
			fail(r, reason);
	}
	if (next_is(r, '>'))
		r->at++;
}

static void begin_group(struct reader *r)
{
	if (r->in_group)
		fail(r, "The From field has a group within a group.");
	else
		r->in_group = true;
}

static void read_separator(struct reader *r, enum word before)
{
	char c = *r->at++;

	if (c == '>')
		return; /* a surplus bracket is harmless */
	if (c == ',' && before != WORD_NONE && !r->addressed)
		r->from->name_alone = true;
	end_element(r);
	if (c == ':')
		begin_group(r);
	else if (c == ';')
		r->in_group = false;
}

static void read_piece(struct reader *r)
{
	enum word before = skip_words(r);

	if (next_is(r, '@'))
		read_bare_address(r, before);
	else if (next_is(r, '<'))
		read_angle(r);
	else if (more(r))
		read_separator(r, before);
}

static void judge(const struct reader *r)
{
	struct eds_from *from = r->from;

	from->reason = "";
	if (r->error) {
		from->state = EDS_FROM_INVALID;
		from->reason = r->error;
	} else if (from->count > 1) {
		from->state = EDS_FROM_SEVERAL;
		from->reason = "The From field names addresses under several domains.";
	} else if (from->count == 0) {
		from->state = EDS_FROM_NONE;
		from->reason = "The From field names no address.";
	} else {
		from->state = EDS_FROM_ONE;
	}
}

/* Adds the domains of one From field to the domains of earlier From fields. */
static void read_field(struct rt_ctx *ctx, const char *value, size_t length, struct eds_from *from)
{
	struct reader r = {.ctx = ctx, .at = value, .end = value + length, .from = from};

	r.mark = from->count;
	r.mailbox_mark = from->mailboxes;
	if (memchr(value, '\0', length))
		fail(&r, "The From field has a NUL in it.");
	while (more(&r))
		read_piece(&r);
	end_element(&r);
	judge(&r);
}

void eds_from_parse(struct rt_ctx *ctx, const char *value, size_t length, struct eds_from *from)
{
	memset(from, 0, sizeof *from);
	read_field(ctx, value, length, from);
}

void eds_from_read(struct rt_ctx *ctx, const struct eds_header *header, struct eds_from *from)
{
	size_t count = eds_header_count(header, "From");

	memset(from, 0, sizeof *from);
	for (size_t i = 0; i < count; i++) {
		const struct eds_field *field = eds_header_find(header, "From", i);

		read_field(ctx, field->value, field->value_length, from);
	}
	if (*header->limit) { /* the part of the header that was not read may contain another From
			       * field */
		from->state = EDS_FROM_INVALID;
		from->reason = header->limit;
	} else if (count == 0) {
		from->state = EDS_FROM_NONE;
		from->reason = "The message has no From field.";
	} else if (count > 1) {
		from->state = EDS_FROM_SEVERAL;
		from->reason = "The message has several From fields.";
	}
}

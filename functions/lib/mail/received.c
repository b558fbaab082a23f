/* Received fields as Postfix, Exim, Sendmail, Exchange, SES, Gmail, qmail and Yahoo write them.
 *
 *     from HELO (RDNS [IP]) by HOST …          Postfix, Sendmail, SES, Gmail, our own
 *     from RDNS ([IP] helo=HELO) by HOST …     Exim
 *     from [IP] (helo=HELO) by HOST …          Exim, no reverse name
 *     from HELO (IP) by HOST …                 Exchange
 *     from RDNS (HELO HELO) (IP) by HOST …     qmail
 *     from IP (EHLO HELO) by HOST …            Yahoo
 */
#include "functions/lib/mail/received.h"

#include <string.h>
#include <strings.h>

#include "runtime/text/ascii.h"

enum {
	IP_TEXT_MAX = 64, /* maximum number of octets of an address with prefix, port or zone
			   * index */
	WORD_BYTES_MAX = 1024,
};

struct span {
	const char *text;
	size_t length;
};

/* The next word or comment of a clause. */
struct token {
	struct span span; /* the text, without the outer parentheses of a comment */
	bool is_comment;
};

static bool span_equals(struct span span, const char *word)
{
	return strlen(word) == span.length && strncasecmp(span.text, word, span.length) == 0;
}

static bool span_begins(struct span span, const char *prefix)
{
	return span.length >= strlen(prefix) && strncasecmp(span.text, prefix, strlen(prefix)) == 0;
}

static void span_advance(struct span *span, size_t bytes)
{
	span->text += bytes;
	span->length -= bytes;
}

static void skip_space(struct span *rest)
{
	while (rest->length > 0 && rt_is_space(*rest->text))
		span_advance(rest, 1);
}

/* The length of the comment at the start of rest, with nested comments; 0 when it is not closed. */
static size_t comment_length(struct span rest)
{
	size_t depth = 0;

	for (size_t i = 0; i < rest.length; i++) {
		if (rest.text[i] == '\\' && i + 1 < rest.length)
			i++;
		else if (rest.text[i] == '(')
			depth++;
		else if (rest.text[i] == ')' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* Reads the next token; false at the end, at the ';' before the date, and at a comment that is not
 * closed. */
static bool next_token(struct span *rest, struct token *token)
{
	size_t length = 0;

	skip_space(rest);
	token->is_comment = rest->length > 0 && *rest->text == '(';
	token->span.text = rest->text;
	if (token->is_comment) {
		length = comment_length(*rest);
		if (length == 0)
			return false;
		token->span = (struct span){rest->text + 1, length - 2};
	} else {
		while (length < rest->length && !rt_is_space(rest->text[length]) &&
			rest->text[length] != '(' && rest->text[length] != ';')
			length++;
		token->span.length = length;
	}
	span_advance(rest, length);
	return length > 0;
}

/* A host name as text: without a final dot, with a question mark for each control character; "" for
 * "unknown". */
static const char *host_text(struct rt_ctx *ctx, struct span span)
{
	char *text;

	if (span.length > WORD_BYTES_MAX)
		span.length = WORD_BYTES_MAX;
	if (span.length > 0 && span.text[span.length - 1] == '.')
		span.length--;
	if (span_equals(span, "unknown"))
		return "";
	text = rt_memdup(ctx, span.text, span.length);
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return text;
}

/* Parses an address, with or without "IPv6:" and brackets; ignores text after the closing bracket,
 * such as a port. */
static bool parse_ip(struct span span, struct rt_ip *ip)
{
	char text[IP_TEXT_MAX];
	const char *close;

	if (span.length > 0 && *span.text == '[') {
		span_advance(&span, 1);
		close = memchr(span.text, ']', span.length);
		if (close == NULL)
			return false;
		span.length = (size_t)(close - span.text);
	}
	if (span_begins(span, "IPv6:"))
		span_advance(&span, 5);
	if (span.length >= sizeof text)
		return false;
	memcpy(text, span.text, span.length);
	text[span.length] = '\0';
	return rt_ip_parse(text, ip);
}

/* The text after the last '@', because Sendmail and qmail write "IDENT:user@" before a name or
 * address. */
static struct span behind_at(struct span span)
{
	const char *at = memrchr(span.text, '@', span.length);

	if (at)
		span_advance(&span, (size_t)(at + 1 - span.text));
	return span;
}

/* The content of a comment in the from clause. */
struct claim {
	struct rt_ip ip;
	struct span rdns;
	struct span helo;
	bool first_is_host; /* the comment has the HELO or a port, so the word after "from" is the
			     * name that the server looked up, or the client's address */
};

/* Reads the client's address from the first or second word of a comment. A second word counts only
 * if it begins with a bracket. The client controls later words: Postfix writes the name in the
 * client's certificate, "(Client CN "…", Issuer …)". */
static bool claims_ip(struct span word, size_t index, struct rt_ip *ip)
{
	word = behind_at(word);
	if (index > 1 || (index == 1 && !span_begins(word, "[")))
		return false;
	return parse_ip(word, ip);
}

static void read_claim(struct span comment, struct claim *claim)
{
	struct span before = {comment.text, 0};
	struct token token;

	memset(claim, 0, sizeof *claim);
	for (size_t i = 0; next_token(&comment, &token); i++) {
		struct span word = token.span;

		if (token.is_comment)
			continue; /* a comment within the comment may be forged */
		if (span_begins(word, "helo=") || span_begins(word, "port="))
			claim->first_is_host = true;
		if (span_begins(word, "helo="))
			claim->helo = (struct span){word.text + 5, word.length - 5};
		else if (span_equals(before, "HELO") || span_equals(before, "EHLO"))
			claim->helo = word;
		else if (claim->ip.family == 0 && claims_ip(word, i, &claim->ip))
			claim->rdns = behind_at(before);
		before = word;
	}
	if (claim->helo.length > 0)
		claim->first_is_host = true;
}

/* The from clause during parsing. */
struct origin {
	struct span first; /* the word after "from" */
	struct claim claim;
};

/* A later comment overrides an earlier one: a client can put parentheses into its HELO, which comes
 * first, but not into the text that the server writes after it. */
static void take_comment(struct span comment, struct origin *origin)
{
	struct claim claim;

	read_claim(comment, &claim);
	if (claim.ip.family != 0) {
		origin->claim.ip = claim.ip;
		origin->claim.rdns = claim.rdns;
	}
	if (claim.helo.length > 0)
		origin->claim.helo = claim.helo;
	if (claim.first_is_host)
		origin->claim.first_is_host = true;
}

/* Reads the from clause, up to and including the word "by". */
static bool read_origin(struct span *rest, struct origin *origin)
{
	struct token token;

	if (!next_token(rest, &token) || token.is_comment)
		return false;
	origin->first = token.span;
	while (next_token(rest, &token)) {
		if (token.is_comment)
			take_comment(token.span, origin);
		else if (span_equals(token.span, "by"))
			return true;
	}
	return false;
}

static void judge_origin(
	struct rt_ctx *ctx, const struct origin *origin, struct eds_received *received)
{
	const struct claim *claim = &origin->claim;
	struct rt_ip first;
	bool first_is_ip = parse_ip(origin->first, &first);

	received->ip = claim->ip;
	received->rdns = host_text(ctx, claim->rdns);
	received->helo = host_text(ctx, origin->first);
	/* The first word is the client's address only in "from [IP] (helo=HELO)" and similar forms;
	 * in other forms it may be the client's HELO. */
	if (claim->ip.family == 0 && first_is_ip && claim->first_is_host)
		received->ip = first;
	if (claim->helo.length > 0) {
		received->rdns = first_is_ip ? "" : received->helo;
		received->helo = host_text(ctx, claim->helo);
	}
}

static void read_with(struct rt_ctx *ctx, struct span rest, struct eds_received *received)
{
	struct token token;

	while (next_token(&rest, &token)) {
		if (token.is_comment || !span_equals(token.span, "with"))
			continue;
		if (next_token(&rest, &token) && !token.is_comment)
			received->with = host_text(ctx, token.span);
		return;
	}
}

bool eds_received_parse(
	struct rt_ctx *ctx, const char *value, size_t length, struct eds_received *received)
{
	struct span rest = {value, length};
	struct origin origin = {.first = {value, 0}};
	struct token token;

	*received = (struct eds_received){.helo = "", .rdns = "", .by = "", .with = ""};
	if (memchr(value, '\0', length))
		return false;
	do /* skips "(from user@host)": Sendmail begins the field with it when mail comes from its
	      own host */
		if (!next_token(&rest, &token))
			return false;
	while (token.is_comment);
	if (span_equals(token.span, "from")) {
		if (!read_origin(&rest, &origin))
			return false;
		judge_origin(ctx, &origin, received);
	} else if (!span_equals(token.span, "by")) {
		return false;
	}
	if (!next_token(&rest, &token) || token.is_comment)
		return false;
	received->by = rt_lower(ctx, host_text(ctx, token.span));
	read_with(ctx, rest, received);
	return true;
}

#include <string.h>

#include "functions/lib/dkim/dkim-feed.h"

static const char BARE_CR[] = "The body has a CR that ends no line.";
static const char LONG_RUN[] = "The body has a word of more than 60000 characters.";

static bool is_wsp(char c)
{
	return c == ' ' || c == '\t';
}

/* LF that is not behind a CR, and whether the last line ends at all. */
static size_t missing_octets(const char *body, size_t length)
{
	size_t missing = 0;
	const char *end = body + length;
	const char *at = body;

	while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		missing += at == body || at[-1] != '\r';
		if (++at == end)
			return missing;
	}
	return length == 0 ? 0 : missing + 2;
}

static char *with_crlf(struct rt_ctx *ctx, const char *body, size_t length, size_t whole)
{
	char *copy = rt_alloc(ctx, whole);
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		if (body[i] == '\n' && (i == 0 || body[i - 1] != '\r'))
			copy[used++] = '\r';
		copy[used++] = body[i];
	}
	if (used < whole)
		memcpy(copy + used, "\r\n", 2);
	return copy;
}

static bool has_bare_cr(const char *body, size_t length)
{
	const char *end = body + length;
	const char *at = body;

	while ((at = memchr(at, '\r', (size_t)(end - at))) != NULL) {
		if (++at == end || *at != '\n')
			return true;
	}
	return false;
}

static bool has_long_run(const char *line, size_t length)
{
	size_t run = 0;

	for (size_t i = 0; i < length; i++) {
		run = is_wsp(line[i]) ? 0 : run + 1;
		if (run > EDS_FEED_RUN_MAX)
			return true;
	}
	return false;
}

/* Looks closely at the few lines that are long enough. */
static bool has_long_word(const char *body, size_t length)
{
	const char *end = body + length;

	for (const char *at = body; at < end;) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((next ? next : end) - at);

		if (size > EDS_FEED_RUN_MAX && has_long_run(at, size))
			return true;
		at += size + 1;
	}
	return false;
}

void eds_feed_body(struct rt_ctx *ctx, const char *body, size_t length, struct eds_feed_body *feed)
{
	size_t missing = missing_octets(body, length);

	*feed = (struct eds_feed_body){
		.bytes = body, .length = length + missing, .limit = "", .relaxed_limit = ""};
	if (missing > 0)
		feed->bytes = with_crlf(ctx, body, length, feed->length);
	if (has_bare_cr(feed->bytes, feed->length))
		feed->limit = BARE_CR;
	if (has_long_word(feed->bytes, feed->length))
		feed->relaxed_limit = LONG_RUN;
}

/* Without the empty lines at the end; "" and nothing but empty lines are one CRLF. */
static size_t simple_length(const struct eds_feed_body *body)
{
	size_t length = body->length;

	while (length >= 4 && memcmp(body->bytes + length - 4, "\r\n\r\n", 4) == 0)
		length -= 2;
	return length < 2 ? 2 : length;
}

static size_t relaxed_length(const struct eds_feed_body *body)
{
	size_t total = 0;
	size_t last_text = 0; /* total behind the last line that is not empty */
	bool space = false;
	bool empty = true;

	for (size_t i = 0; i < body->length; i++) {
		char c = body->bytes[i];

		if (c == '\n') {
			total += 2;
			last_text = empty ? last_text : total;
			space = false;
			empty = true;
		} else if (is_wsp(c)) {
			space = true;
		} else if (c != '\r') {
			total += space ? 2 : 1;
			space = empty = false;
		}
	}
	return last_text;
}

size_t eds_feed_body_canonical_length(const struct eds_feed_body *body, bool relaxed)
{
	return relaxed ? relaxed_length(body) : simple_length(body);
}

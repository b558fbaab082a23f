#include "functions/lib/reports/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "runtime/text/ascii.h"

#define NUMBER_MAX ((1ULL << 53) - 1)
#define EPOCH_MAX_S 253402300799ULL /* the last second of the year 9999 */

enum {
	DIGITS_MAX = 16,
	DIGEST_BYTES = 19, /* octets of "…" and 16 hexadecimal digits */
};

const char *eds_text_trim(const char *text, size_t *length)
{
	while (*length > 0 && rt_is_space(text[*length - 1]))
		(*length)--;
	while (*length > 0 && rt_is_space(text[0])) {
		text++;
		(*length)--;
	}
	return text;
}

bool eds_text_is(const char *text, const char *word)
{
	return strcasecmp(text, word) == 0;
}

/* The number of octets of those whole UTF-8 characters that fit into `max` octets. */
static size_t whole_characters(const char *text, size_t length, size_t max)
{
	if (length <= max)
		return length;
	while (max > 0 && ((unsigned char)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

const char *eds_text_cut(struct rt_ctx *ctx, const char *text, size_t length)
{
	return rt_memdup(ctx, text, whole_characters(text, length, EDS_REPORT_TEXT_MAX));
}

static uint64_t digest(const char *text, size_t length)
{
	uint64_t sum = 14695981039346656037ULL;

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (unsigned char)text[i]) * 1099511628211ULL;
	return sum;
}

const char *eds_text_id(struct rt_ctx *ctx, const char *text, size_t length)
{
	size_t kept;

	if (length <= EDS_REPORT_ID_MAX)
		return rt_memdup(ctx, text, length);
	kept = whole_characters(text, length, EDS_REPORT_ID_MAX - DIGEST_BYTES);
	return rt_printf(ctx, "%.*s\xe2\x80\xa6%016" PRIx64, (int)kept, text, digest(text, length));
}

const char *eds_text_word(struct rt_ctx *ctx, const char *text, size_t length)
{
	return length > EDS_REPORT_WORD_MAX ? "" : rt_lower(ctx, text);
}

void eds_text_whole(const char *text, size_t length, char *target, size_t max)
{
	if (length > max)
		length = 0;
	memcpy(target, text, length);
	target[length] = '\0';
}

void eds_text_begin(const char *text, size_t length, char *target, size_t max)
{
	length = whole_characters(text, length, max);
	memcpy(target, text, length);
	target[length] = '\0';
}

void eds_text_domain(const char *text, size_t length, char target[EDS_REPORT_DOMAIN_MAX + 1])
{
	if (length > 0 && text[length - 1] == '.')
		length--;
	eds_text_lower(text, length, target, EDS_REPORT_DOMAIN_MAX);
}

void eds_text_lower(const char *text, size_t length, char *target, size_t max)
{
	eds_text_whole(text, length, target, max);
	for (char *at = target; *at != '\0'; at++)
		*at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
}

uint64_t eds_text_number(const char *text)
{
	uint64_t number = 0;
	size_t digits = 0;

	while (digits < DIGITS_MAX && isdigit((unsigned char)text[digits]))
		number = number * 10 + (uint64_t)(text[digits++] - '0');
	return text[digits] != '\0' || number > NUMBER_MAX ? 0 : number;
}

int64_t eds_text_epoch(const char *text)
{
	uint64_t seconds = eds_text_number(text);

	return seconds > EPOCH_MAX_S ? 0 : (int64_t)seconds;
}

int eds_text_percent(const char *text)
{
	uint64_t percent = eds_text_number(text);

	return !isdigit((unsigned char)text[0]) || percent > 100 ? -1 : (int)percent;
}

#include "functions/lib/spf/spf-syntax.h"

#include <string.h>

#include "functions/lib/dns/dns.h"
#include "runtime/text/ascii.h"

enum {
	MACRO_DIGITS_MAX = 128, /* further digits are ignored when a number in a macro has reached
				 * this value, which is more than the number of labels of a name */
	LABEL_MAX = 63,         /* maximum number of octets of a label (RFC 1035 section 2.3.4) */
};

static bool read_letter(char c, enum eds_spf_place place, struct eds_spf_macro *macro)
{
	const char *letters = place == EDS_SPF_IN_EXPLANATION ? "slodiphvcrt" : "slodiphv";
	char lower = (char)(c | 0x20);

	if (!rt_is_alpha(c) || strchr(letters, lower) == NULL)
		return false;
	macro->letter = lower;
	macro->escape = c != lower;
	return true;
}

/* Reads *DIGIT; a number must not be zero (section 7.3). */
static bool read_digits(const char *text, size_t length, size_t *at, struct eds_spf_macro *macro)
{
	size_t start = *at;

	for (; *at < length && rt_is_digit(text[*at]); (*at)++)
		if (macro->digits < MACRO_DIGITS_MAX)
			macro->digits = macro->digits * 10 + (unsigned)(text[*at] - '0');
	return *at == start || macro->digits > 0;
}

/* Reads "%{" macro-letter transformers *delimiter "}". */
static size_t read_braced(
	const char *text, size_t length, enum eds_spf_place place, struct eds_spf_macro *macro)
{
	size_t at = 3;

	if (length < 4 || !read_letter(text[2], place, macro))
		return 0;
	if (!read_digits(text, length, &at, macro))
		return 0;
	if (at < length && (text[at] == 'r' || text[at] == 'R')) {
		macro->reverse = true;
		at++;
	}
	macro->delimiters = text + at;
	while (at < length && text[at] != '\0' && strchr(".-+,/_=", text[at]) != NULL)
		at++;
	macro->delimiter_count = (size_t)(text + at - macro->delimiters);
	return at < length && text[at] == '}' ? at + 1 : 0;
}

size_t eds_spf_macro_read(
	const char *text, size_t length, enum eds_spf_place place, struct eds_spf_macro *macro)
{
	memset(macro, 0, sizeof *macro);
	if (length < 2 || text[0] != '%')
		return 0;
	if (text[1] == '{')
		return read_braced(text, length, place, macro);
	if (text[1] != '%' && text[1] != '_' && text[1] != '-')
		return 0;
	macro->letter = text[1];
	return 2;
}

/* Reads a macro-string; sets *tail to the end of its last macro. */
static bool scan(const char *text, size_t length, enum eds_spf_place place, size_t *tail)
{
	struct eds_spf_macro macro;
	size_t at = 0;

	*tail = 0;
	while (at < length) {
		if (text[at] == '%') {
			size_t octets = eds_spf_macro_read(text + at, length - at, place, &macro);

			if (octets == 0)
				return false;
			at += octets;
			*tail = at;
		} else if ((text[at] > ' ' && text[at] <= '~') ||
			(text[at] == ' ' && place == EDS_SPF_IN_EXPLANATION)) {
			at++;
		} else {
			return false;
		}
	}
	return true;
}

bool eds_spf_macro_string_valid(const char *text, size_t length, enum eds_spf_place place)
{
	size_t tail;

	return scan(text, length, place, &tail);
}

/* True for a toplabel: ( *alphanum ALPHA *alphanum ) / ( 1*alphanum "-" *( alphanum / "-" )
 * alphanum ). */
static bool toplabel_valid(const char *label, size_t length)
{
	bool letter_or_hyphen = false;

	if (length == 0 || !rt_is_alnum(label[0]) || !rt_is_alnum(label[length - 1]))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!rt_is_alnum(label[i]) && label[i] != '-')
			return false;
		letter_or_hyphen = letter_or_hyphen || !rt_is_digit(label[i]);
	}
	return letter_or_hyphen;
}

/* Checks the end of the macro-string: domain-end = ( "." toplabel [ "." ] ) / macro-expand. */
bool eds_spf_domain_spec_valid(const char *text, size_t length)
{
	size_t tail;
	size_t start;

	if (length == 0 || !scan(text, length, EDS_SPF_IN_RECORD, &tail))
		return false;
	if (tail == length)
		return true;
	if (text[length - 1] == '.')
		length--;
	for (start = length; start > tail && text[start - 1] != '.'; start--)
		;
	return start > tail && toplabel_valid(text + start, length - start);
}

static bool label_valid(const char *label, size_t length)
{
	if (length == 0 || length > LABEL_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!rt_is_alnum(label[i]) && label[i] != '-' && label[i] != '_')
			return false;
	return true;
}

bool eds_spf_domain_valid(const char *name)
{
	size_t length = strlen(name);
	size_t labels = 0;
	size_t start = 0;
	bool numeric = true;

	if (length > 0 && name[length - 1] == '.')
		length--;
	if (length > EDS_DNS_NAME_MAX)
		return false;
	for (size_t at = 0; at <= length; at++) {
		if (at < length && name[at] != '.')
			continue;
		if (!label_valid(name + start, at - start))
			return false;
		numeric = strspn(name + start, "0123456789") >= at - start;
		start = at + 1;
		labels++;
	}
	return labels >= 2 && !numeric;
}

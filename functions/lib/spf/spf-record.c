#include "functions/lib/spf/spf-record.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "functions/lib/dns/shown-text.h"
#include "functions/lib/spf/spf-syntax.h"

static const char version[] = "v=spf1";

enum {
	VERSION_LENGTH = sizeof version - 1,
	IP4_BITS = 32,
	IP6_BITS = 128,
};

/* What may follow a mechanism's name. */
enum form {
	FORM_BARE,            /* all */
	FORM_TARGET,          /* a domain-spec must follow: include:domain-spec */
	FORM_TARGET_OPTIONAL, /* a domain-spec may follow: ptr, ptr:domain-spec */
	FORM_TARGET_PREFIX,   /* a domain-spec and a dual-cidr-length may follow: a,
			       * a:domain-spec/24//64 */
	FORM_NETWORK,         /* a network must follow, perhaps with a cidr-length:
			       * ip4:192.0.2.0/24 */
};

static const struct mechanism {
	const char *name;
	enum eds_spf_kind kind;
	enum form form;
} mechanisms[] = {
	{"all", EDS_SPF_ALL, FORM_BARE},
	{"include", EDS_SPF_INCLUDE, FORM_TARGET},
	{"a", EDS_SPF_A, FORM_TARGET_PREFIX},
	{"mx", EDS_SPF_MX, FORM_TARGET_PREFIX},
	{"ptr", EDS_SPF_PTR, FORM_TARGET_OPTIONAL},
	{"ip4", EDS_SPF_IP4, FORM_NETWORK},
	{"ip6", EDS_SPF_IP6, FORM_NETWORK},
	{"exists", EDS_SPF_EXISTS, FORM_TARGET},
};

static bool is_version(const char *text, size_t length)
{
	return length >= VERSION_LENGTH && strncasecmp(text, version, VERSION_LENGTH) == 0 &&
		(length == VERSION_LENGTH || text[VERSION_LENGTH] == ' ');
}

enum eds_spf_choice eds_spf_choose(
	const struct eds_dns_answer *answer, const struct eds_dns_record **record)
{
	enum eds_spf_choice choice = EDS_SPF_CHOICE_NONE;

	for (size_t i = 0; answer->state == EDS_DNS_FOUND && i < answer->count; i++) {
		if (!is_version(answer->records[i].txt, answer->records[i].txt_length))
			continue;
		if (choice == EDS_SPF_CHOICE_ONE)
			return EDS_SPF_CHOICE_SEVERAL;
		choice = EDS_SPF_CHOICE_ONE;
		*record = &answer->records[i];
	}
	return choice;
}

/* True for a record that was meant for SPF: it begins with "v=spf1", in upper or lower case, after
 * any white space and quotation marks. */
static bool is_meant(const struct eds_dns_record *txt)
{
	size_t at = 0;

	while (at < txt->txt_length && strchr(" \t\"'", txt->txt[at]) != NULL)
		at++;
	return txt->txt_length - at >= VERSION_LENGTH &&
		strncasecmp(txt->txt + at, version, VERSION_LENGTH) == 0;
}

const char *eds_spf_misspelt(struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	for (size_t i = 0; answer->state == EDS_DNS_FOUND && i < answer->count; i++) {
		const struct eds_dns_record *txt = &answer->records[i];
		char *text;

		if (!is_meant(txt) || is_version(txt->txt, txt->txt_length))
			continue;
		text = rt_memdup(ctx, txt->txt, txt->txt_length);
		for (size_t k = 0; k < txt->txt_length; k++)
			if (text[k] < ' ' || text[k] > '~')
				text[k] = '?';
		return text;
	}
	return NULL;
}

/* Reads "0" or a number without leading zeros, at most max (ip4-cidr-length, ip6-cidr-length). */
static bool parse_bits(const char *text, size_t length, unsigned max, unsigned *bits)
{
	unsigned value = 0;

	if (length == 0 || length > 3 || (text[0] == '0' && length > 1))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (unsigned)(text[i] - '0');
	}
	*bits = value;
	return value <= max;
}

/* The offset of the digits at the end of the text, if a slash precedes them; length otherwise. */
static size_t trailing_number(const char *text, size_t length)
{
	size_t start = length;

	while (start > 0 && text[start - 1] >= '0' && text[start - 1] <= '9')
		start--;
	return start < length && start > 0 && text[start - 1] == '/' ? start : length;
}

/* Removes a dual-cidr-length ("/24", "//64", "/24//64") from the end. A domain-spec may contain
 * slashes but cannot end in such digits, so this is unambiguous. */
static bool take_prefixes(const char *text, size_t *length, struct eds_spf_term *term)
{
	size_t start = trailing_number(text, *length);

	term->prefix4 = IP4_BITS;
	term->prefix6 = IP6_BITS;
	if (start < *length && start >= 2 && text[start - 2] == '/') {
		if (!parse_bits(text + start, *length - start, IP6_BITS, &term->prefix6))
			return false;
		*length = start - 2;
		start = trailing_number(text, *length);
	}
	if (start < *length) {
		if (!parse_bits(text + start, *length - start, IP4_BITS, &term->prefix4))
			return false;
		*length = start - 1;
	}
	return true;
}

static bool take_target(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_spf_term *term)
{
	if (!eds_spf_domain_spec_valid(text, length))
		return false;
	term->target = rt_memdup(ctx, text, length);
	term->macros = memchr(text, '%', length) != NULL;
	return true;
}

/* Reads ":" network [ "/" bits ]. */
static bool take_network(const char *text, size_t length, struct eds_spf_term *term)
{
	struct rt_cidr *network = &term->network;
	unsigned max = term->kind == EDS_SPF_IP4 ? IP4_BITS : IP6_BITS;
	char address[RT_IP_TEXT_MAX] = "";
	const char *slash;
	size_t octets;

	if (length == 0 || text[0] != ':')
		return false;
	text++;
	length--;
	slash = memchr(text, '/', length);
	octets = slash != NULL ? (size_t)(slash - text) : length;
	if (octets >= sizeof address || memchr(text, '\0', octets) != NULL)
		return false;
	memcpy(address, text, octets);
	network->prefix = max;
	network->ip.family = term->kind == EDS_SPF_IP4 ? AF_INET : AF_INET6;
	if (inet_pton(network->ip.family, address, network->ip.bytes) != 1)
		return false;
	return slash == NULL || parse_bits(slash + 1, length - octets - 1, max, &network->prefix);
}

/* Parses the rest after the mechanism's name. */
static bool take_rest(struct rt_ctx *ctx, enum form form, const char *rest, size_t length,
	struct eds_spf_term *term)
{
	if (form == FORM_NETWORK)
		return take_network(rest, length, term);
	if (form == FORM_TARGET_PREFIX && !take_prefixes(rest, &length, term))
		return false;
	if (length == 0)
		return form != FORM_TARGET;
	return form != FORM_BARE && rest[0] == ':' && take_target(ctx, rest + 1, length - 1, term);
}

static bool parse_mechanism(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_spf_term *term)
{
	size_t name = 0;

	if (length > 0 && text[0] != '\0' && strchr("+-~?", text[0]) != NULL) {
		term->qualifier = text[0];
		text++;
		length--;
	}
	while (name < length && text[name] != ':' && text[name] != '/')
		name++;
	for (size_t i = 0; i < sizeof mechanisms / sizeof mechanisms[0]; i++) {
		const struct mechanism *mechanism = &mechanisms[i];

		if (strlen(mechanism->name) != name ||
			strncasecmp(mechanism->name, text, name) != 0)
			continue;
		term->kind = mechanism->kind;
		return take_rest(ctx, mechanism->form, text + name, length - name, term);
	}
	return false;
}

/* The length of a modifier's name, ALPHA *( ALPHA / DIGIT / "-" / "_" / "." ), before "="; 0 if the
 * text does not begin with one. */
static size_t modifier_name(const char *text, size_t length)
{
	size_t name = 0;

	for (; name < length; name++) {
		char c = text[name];
		bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		bool later = (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';

		if (!alpha && (name == 0 || !later))
			break;
	}
	return name < length && text[name] == '=' ? name : 0;
}

static bool parse_modifier(
	struct rt_ctx *ctx, const char *text, size_t name, size_t length, struct eds_spf_term *term)
{
	const char *value = text + name + 1;
	size_t value_length = length - name - 1;

	term->kind = EDS_SPF_OTHER;
	if (name == strlen("redirect") && strncasecmp(text, "redirect", name) == 0)
		term->kind = EDS_SPF_REDIRECT;
	else if (name == strlen("exp") && strncasecmp(text, "exp", name) == 0)
		term->kind = EDS_SPF_EXP;
	if (term->kind == EDS_SPF_OTHER)
		return eds_spf_macro_string_valid(value, value_length, EDS_SPF_IN_RECORD);
	return take_target(ctx, value, value_length, term);
}

static bool parse_term(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_spf_term *term)
{
	size_t name = modifier_name(text, length);

	term->qualifier = '+';
	term->text = rt_memdup(ctx, text, length);
	term->target = "";
	return name > 0 ? parse_modifier(ctx, text, name, length, term)
			: parse_mechanism(ctx, text, length, term);
}

/* True for a second redirect or exp; each may appear only once (section 6). */
static bool repeated(const struct eds_spf_record *record, const struct eds_spf_term *term)
{
	return (term->kind == EDS_SPF_REDIRECT || term->kind == EDS_SPF_EXP) &&
		eds_spf_record_find(record, term->kind) != NULL;
}

static bool refuse(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_spf_record *record)
{
	record->count = 0;
	record->bad = eds_dns_shown_text(ctx, text, length);
	return false;
}

bool eds_spf_record_parse(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_spf_record *record)
{
	size_t at = VERSION_LENGTH;

	memset(record, 0, sizeof *record);
	record->bad = "";
	if (!is_version(text, length) || length > EDS_SPF_RECORD_MAX)
		return refuse(ctx, text, length < VERSION_LENGTH ? length : VERSION_LENGTH, record);
	record->terms = rt_alloc_array(ctx, length / 2 + 1, sizeof *record->terms);
	while (at < length) {
		struct eds_spf_term *term = &record->terms[record->count];
		const char *start = text + at + 1; /* text[at] is a space */
		const char *space = memchr(start, ' ', length - at - 1);
		size_t octets = space != NULL ? (size_t)(space - start) : length - at - 1;

		if (octets > 0) {
			if (!parse_term(ctx, start, octets, term) || repeated(record, term))
				return refuse(ctx, start, octets, record);
			record->count++;
		}
		at += 1 + octets;
	}
	return true;
}

const struct eds_spf_term *eds_spf_record_find(
	const struct eds_spf_record *record, enum eds_spf_kind kind)
{
	for (size_t i = 0; i < record->count; i++)
		if (record->terms[i].kind == kind)
			return &record->terms[i];
	return NULL;
}

bool eds_spf_term_counts(const struct eds_spf_term *term)
{
	switch (term->kind) {
	case EDS_SPF_INCLUDE:
	case EDS_SPF_A:
	case EDS_SPF_MX:
	case EDS_SPF_PTR:
	case EDS_SPF_EXISTS:
	case EDS_SPF_REDIRECT:
		return true;
	default:
		return false;
	}
}

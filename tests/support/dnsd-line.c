#include "tests/support/dnsd-line.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	uint16_t type;
} types[] = {
	{"A", TYPE_A},
	{"NS", TYPE_NS},
	{"CNAME", TYPE_CNAME},
	{"SOA", TYPE_SOA},
	{"PTR", TYPE_PTR},
	{"MX", TYPE_MX},
	{"TXT", TYPE_TXT},
	{"AAAA", TYPE_AAAA},
	{"TLSA", TYPE_TLSA},
	{"CAA", TYPE_CAA},
};

enum { TYPES = sizeof types / sizeof types[0] };

static uint8_t data[ZONE_DATA_MAX];
static size_t data_length;

const char *zone_type_name(uint16_t type)
{
	for (size_t i = 0; i < TYPES; i++)
		if (types[i].type == type)
			return types[i].name;
	return NULL;
}

static uint16_t type_of(const char *word)
{
	for (size_t i = 0; i < TYPES; i++)
		if (strcmp(types[i].name, word) == 0)
			return types[i].type;
	return 0;
}

/* The next word, delimited by blanks; NULL at the end. Quotes are not special. */
static char *next_word(char **rest)
{
	char *word;

	*rest += strspn(*rest, " \t\r\n");
	if (**rest == '\0' || **rest == '#')
		return NULL;
	word = *rest;
	*rest += strcspn(*rest, " \t\r\n");
	if (**rest != '\0')
		*(*rest)++ = '\0';
	return word;
}

static bool read_number(const char *text, unsigned long max, unsigned long *number)
{
	char *end;

	if (text == NULL || text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*number = strtoul(text, &end, 10);
	return *end == '\0' && errno == 0 && *number <= max;
}

/* One octet at *text, which may be written as \DDD or \C. */
static uint8_t read_octet(const char **text)
{
	const char *at = *text;

	if (at[0] != '\\' || at[1] == '\0') {
		*text += 1;
		return (uint8_t)at[0];
	}
	if (at[1] < '0' || at[1] > '2' || strspn(at + 1, "0123456789") < 3) {
		*text += 2;
		return (uint8_t)at[1];
	}
	*text += 4;
	return (uint8_t)((at[1] - '0') * 100 + (at[2] - '0') * 10 + (at[3] - '0'));
}

static bool read_name(const char *text, uint8_t name[ZONE_NAME_MAX], bool fold)
{
	uint8_t *length = name;
	uint8_t *at = name;

	if (text == NULL || *text == '\0')
		return false;
	for (*length = 0; *text != '\0' && strcmp(text, ".") != 0;) {
		bool dot = *text == '.';
		uint8_t octet = read_octet(&text);

		if (at - name >= ZONE_NAME_MAX - 2)
			return false;
		if (dot && *length == 0)
			return false;
		if (dot) {
			length = ++at;
			*length = 0;
			continue;
		}
		*++at = fold && octet >= 'A' && octet <= 'Z' ? (uint8_t)(octet | 0x20) : octet;
		if (++*length > 63)
			return false;
	}
	if (at != name || *length != 0)
		*++at = 0;
	return true;
}

static bool add_bytes(const void *bytes, size_t length)
{
	if (length > sizeof data - data_length)
		return false;
	memcpy(data + data_length, bytes, length);
	data_length += length;
	return true;
}

static bool add_name(const char *text)
{
	uint8_t name[ZONE_NAME_MAX];

	return read_name(text, name, false) && add_bytes(name, wire_length(name));
}

static bool add_number(const char *text, size_t octets)
{
	unsigned long number;
	uint32_t order;

	if (!read_number(text, octets == 2 ? UINT16_MAX : UINT32_MAX, &number))
		return false;
	order = htonl((uint32_t)number);
	return add_bytes((const uint8_t *)&order + sizeof order - octets, octets);
}

static bool add_address(const char *text, int family, size_t octets)
{
	uint8_t address[16];

	return text != NULL && inet_pton(family, text, address) == 1 && add_bytes(address, octets);
}

static bool add_soa(char **rest)
{
	bool ok = add_name(next_word(rest)) && add_name(next_word(rest));

	for (int i = 0; i < 5; i++)
		ok = ok && add_number(next_word(rest), 4);
	return ok;
}

/* Quoted strings; each becomes one character-string of at most 255 octets. */
static bool add_strings(char **rest)
{
	const char *at = *rest + strspn(*rest, " \t\r\n");

	if (*at != '"')
		return false;
	while (*at == '"') {
		uint8_t string[256] = {0};

		for (at++; *at != '"';) {
			if (*at == '\0' || string[0] == 255)
				return false;
			string[++string[0]] = read_octet(&at);
		}
		if (!add_bytes(string, string[0] + 1U))
			return false;
		at++;
		at += strspn(at, " \t\r\n");
	}
	*rest += strlen(*rest);
	return *at == '\0' || *at == '#';
}

/* One quoted string, whose octets are the data. */
static bool add_octets(char **rest)
{
	if (!add_strings(rest) || data_length != data[0] + 1U)
		return false;
	memmove(data, data + 1, --data_length);
	return true;
}

static bool read_data(uint16_t type, char **rest)
{
	data_length = 0;
	switch (type) {
	case TYPE_A:
		return add_address(next_word(rest), AF_INET, 4);
	case TYPE_AAAA:
		return add_address(next_word(rest), AF_INET6, 16);
	case TYPE_MX:
		return add_number(next_word(rest), 2) && add_name(next_word(rest));
	case TYPE_SOA:
		return add_soa(rest);
	case TYPE_TXT:
		return add_strings(rest);
	case TYPE_TLSA:
	case TYPE_CAA:
		return add_octets(rest);
	default:
		return add_name(next_word(rest));
	}
}

static bool read_rcode(const char *text, int *rcode)
{
	unsigned long number;

	if (strcmp(text, "servfail") == 0)
		*rcode = 2;
	else if (strcmp(text, "refused") == 0)
		*rcode = 5;
	else if (read_number(text, 15, &number))
		*rcode = (int)number;
	else
		return false;
	return true;
}

static bool read_behavior(const char *word, struct zone_behavior *b)
{
	unsigned long number;

	if (strncmp(word, "delay=", 6) == 0 && read_number(word + 6, 600000, &number))
		b->delay_ms = (int)number;
	else if (strncmp(word, "rcode=", 6) == 0)
		return read_rcode(word + 6, &b->rcode);
	else if (strncmp(word, "once=", 5) == 0)
		return read_rcode(word + 5, &b->once_rcode);
	else if (strcmp(word, "drop") == 0)
		b->drop = true;
	else if (strcmp(word, "truncate") == 0)
		b->truncate = true;
	else if (strcmp(word, "garbage") == 0)
		b->garbage = true;
	else if (strcmp(word, "wrongid") == 0)
		b->wrong_id = true;
	else if (strcmp(word, "nodata") == 0)
		b->no_data = true;
	else
		return read_rcode(word, &b->rcode);
	return true;
}

static const char *read_record(const char *ttl, char **rest, struct zone_line *line)
{
	unsigned long number;

	if (line->behavior.type == TYPE_ANY)
		return "a record needs a type";
	if (!read_number(ttl, UINT32_MAX, &number))
		return "the TTL must be a number of seconds";
	if (!read_data(line->behavior.type, rest) || next_word(rest) != NULL)
		return "the value is not of the type's form";
	line->has_record = true;
	line->record = (struct zone_record){.type = line->behavior.type,
		.ttl_s = (uint32_t)number,
		.data = data,
		.length = (uint16_t)data_length};
	return NULL;
}

static const char *read_rest(char **rest, struct zone_line *line)
{
	char *word = next_word(rest);

	if (word != NULL && word[0] != '!' && strcmp(word, "ANY") != 0) {
		line->behavior.type = type_of(word);
		if (line->behavior.type == 0)
			return "unknown type";
		word = next_word(rest);
	}
	for (; word != NULL && word[0] == '!'; word = next_word(rest)) {
		if (!read_behavior(word + 1, &line->behavior))
			return "unknown behavior";
		line->has_behavior = true;
	}
	if (word != NULL)
		return read_record(word, rest, line);
	return line->has_behavior ? NULL : "neither a record nor a behavior";
}

const char *zone_line_parse(char *text, struct zone_line *line)
{
	char *rest = text;
	char *name = next_word(&rest);

	*line = (struct zone_line){.empty = name == NULL,
		.behavior = {
			.type = TYPE_ANY, .rcode = ZONE_RCODE_NONE, .once_rcode = ZONE_RCODE_NONE}};
	if (line->empty)
		return NULL;
	line->global = strcmp(name, "*") == 0;
	if (!line->global && !read_name(name, line->name, true))
		return "no domain name";
	return read_rest(&rest, line);
}

#include "functions/lib/reports/xml/xml-encoding.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
	DECLARATION_MAX = 256, /* octets of the longest <?xml … ?> that is read */
	NAME_MAX_BYTES = 32,
};

static bool begins(const char *bytes, size_t length, const char *magic, size_t magic_length)
{
	return length >= magic_length && memcmp(bytes, magic, magic_length) == 0;
}
#define BEGINS(magic) begins(bytes, length, (magic), sizeof(magic) - 1)

static size_t blanks(const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length && memchr(" \t\r\n", bytes[at], 4) != NULL)
		at++;
	return at;
}

/* The value of encoding="…" in the declaration; "" when there is none. */
static void declared(const char *bytes, size_t length, char name[NAME_MAX_BYTES])
{
	const char *end;
	const char *at;
	size_t used = 0;

	name[0] = '\0';
	length = length < DECLARATION_MAX ? length : DECLARATION_MAX;
	end = BEGINS("<?xml") ? memmem(bytes, length, "?>", 2) : NULL;
	at = end == NULL ? NULL : memmem(bytes, (size_t)(end - bytes), "encoding", 8);
	if (at == NULL)
		return;
	at += strlen("encoding");
	while (at < end && (isspace((unsigned char)*at) || strchr("='\"", *at) != NULL))
		at++;
	while (at < end && used < NAME_MAX_BYTES - 1 && strchr("'\" \t\r\n", *at) == NULL)
		name[used++] = *at++;
	name[used] = '\0';
}

static bool is_latin(const char *name)
{
	static const char *const names[] = {
		"iso-8859-1", "iso8859-1", "latin1", "iso-8859-15", "windows-1252", "cp1252"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

struct eds_xml_encoding eds_xml_encoding_of(const char *bytes, size_t length)
{
	struct eds_xml_encoding encoding = {.name = NULL};
	char name[NAME_MAX_BYTES];

	if (BEGINS("\xff\xfe\0\0") || BEGINS("\0\0") || BEGINS("<\0\0") || BEGINS("Lo\xa7\x94"))
		return encoding; /* not supported: UTF-32, EBCDIC */
	if (BEGINS("\xff\xfe") || BEGINS("\xfe\xff"))
		encoding.name = "UTF-16";
	else if (BEGINS("<\0"))
		encoding.name = "UTF-16LE";
	else if (BEGINS("\0<"))
		encoding.name = "UTF-16BE";
	if (encoding.name != NULL)
		return encoding;
	encoding.skip = BEGINS("\xef\xbb\xbf") ? 3 : 0;
	encoding.skip += blanks(bytes + encoding.skip, length - encoding.skip);
	declared(bytes + encoding.skip, length - encoding.skip, name);
	encoding.ascii = true;
	encoding.repair = encoding.skip == 3 || !is_latin(name);
	encoding.name = encoding.repair ? "UTF-8" : "ISO-8859-1";
	return encoding;
}

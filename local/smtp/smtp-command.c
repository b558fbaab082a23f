#include "local/smtp/smtp-command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "runtime/text/hex.h"

static const char *const verbs[] = {
	[SMTP_EHLO] = "EHLO",
	[SMTP_HELO] = "HELO",
	[SMTP_MAIL] = "MAIL",
	[SMTP_RCPT] = "RCPT",
	[SMTP_DATA] = "DATA",
	[SMTP_RSET] = "RSET",
	[SMTP_NOOP] = "NOOP",
	[SMTP_QUIT] = "QUIT",
	[SMTP_VRFY] = "VRFY",
	[SMTP_EXPN] = "EXPN",
	[SMTP_HELP] = "HELP",
	[SMTP_STARTTLS] = "STARTTLS",
	[SMTP_XCLIENT] = "XCLIENT",
	[SMTP_XFORWARD] = "XFORWARD",
};

enum smtp_verb smtp_command_parse(char *line, char **argument)
{
	size_t length = strcspn(line, " ");
	char *end = line + strlen(line);
	char *start = line + length;

	while (end > start && end[-1] == ' ')
		*--end = '\0';
	while (*start == ' ')
		start++;
	*argument = start;
	for (size_t verb = 0; verb < SMTP_UNKNOWN; verb++)
		if (strlen(verbs[verb]) == length && strncasecmp(line, verbs[verb], length) == 0)
			return (enum smtp_verb)verb;
	return SMTP_UNKNOWN;
}

/* The position after the quoted string that begins at text; NULL when the string has no end. */
static const char *skip_quoted(const char *text)
{
	for (text++; *text != '"'; text++) {
		if (*text == '\\')
			text++;
		if (*text == '\0')
			return NULL;
	}
	return text + 1;
}

static bool is_domain(const char *domain, size_t length)
{
	if (length == 0 || length > SMTP_NAME_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)domain[i]) && (domain[i] & 0x80) == 0 &&
			strchr("-._:[]", domain[i]) == NULL)
			return false;
	return true;
}

/* The position after the local part: Dot-string or Quoted-string (RFC 5321 section 4.1.2). The
 * position of dots is not checked, since real senders put them anywhere. */
static const char *skip_local_part(const char *text, struct smtp_path *path)
{
	path->quoted = *text == '"';
	if (path->quoted)
		return skip_quoted(text);
	for (; *text != '@'; text++) {
		if ((unsigned char)*text <= ' ' || *text == 127 || strchr("<>()[]\\,;:\"", *text))
			return NULL;
		path->rerouted |= *text == '%' || *text == '!';
	}
	return text;
}

static bool read_mailbox(const char *text, const char *end, struct smtp_path *path)
{
	const char *at = skip_local_part(text, path);
	size_t length = (size_t)(end - text);

	if (at == NULL || at == text || at >= end || *at != '@' || length > SMTP_ADDRESS_MAX)
		return false;
	if (!is_domain(at + 1, (size_t)(end - at - 1)))
		return false;
	memcpy(path->address, text, length);
	path->address[length] = '\0';
	for (size_t i = 0; i < length; i++)
		path->utf8 |= (path->address[i] & 0x80) != 0;
	return true;
}

/* The position of the > that closes a path; a > within a quoted local part does not close it. */
static const char *find_close(const char *text)
{
	while (text != NULL && *text != '\0' && *text != '>')
		text = *text == '"' ? skip_quoted(text) : text + 1;
	return text != NULL && *text == '>' ? text : NULL;
}

bool smtp_path_parse(
	const char *argument, const char *keyword, struct smtp_path *path, const char **rest)
{
	size_t length = strlen(keyword);
	const char *end;

	*path = (struct smtp_path){0};
	if (strncasecmp(argument, keyword, length) != 0 || argument[length] != ':')
		return false;
	argument += length + 1;
	argument += strspn(argument, " ");
	end = find_close(argument);
	if (*argument != '<' || end == NULL || (end[1] != '\0' && end[1] != ' '))
		return false;
	*rest = end + 1;
	if (++argument == end)
		return true;
	if (strncasecmp(argument, "postmaster>", strlen("postmaster>")) == 0) {
		path->postmaster = true;
		memcpy(path->address, argument, (size_t)(end - argument));
		return true;
	}
	if (*argument == '@') {
		path->source_route = true;
		argument = memchr(argument, ':', (size_t)(end - argument));
		if (argument == NULL)
			return false;
		argument++;
	}
	return read_mailbox(argument, end, path);
}

static bool copy_bounded(char *to, size_t size, const char *from, size_t length)
{
	if (length >= size)
		return false;
	memcpy(to, from, length);
	to[length] = '\0';
	return true;
}

bool smtp_parameter_next(const char **list, struct smtp_parameter *parameter)
{
	const char *start = *list + strspn(*list, " ");
	size_t length = strcspn(start, " ");
	const char *equals = memchr(start, '=', length);
	size_t name = equals != NULL ? (size_t)(equals - start) : length;

	*list = start + length;
	if (length == 0)
		return false;
	*parameter = (struct smtp_parameter){0};
	parameter->odd = name == 0 ||
		!copy_bounded(parameter->name, sizeof parameter->name, start, name);
	if (equals != NULL && !parameter->odd)
		parameter->odd = !copy_bounded(
			parameter->value, sizeof parameter->value, equals + 1, length - name - 1);
	return true;
}

bool smtp_xtext_decode(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++, to++) {
		*to = *text;
		if (*text == '+') {
			int high = rt_hex_value(text[1]);
			int low = high < 0 ? -1 : rt_hex_value(text[2]);

			if (low < 0)
				return false;
			*to = (char)(high * 16 + low);
			text += 2;
		}
		if ((unsigned char)*to < ' ' || *to == 127)
			return false;
	}
	*to = '\0';
	return true;
}

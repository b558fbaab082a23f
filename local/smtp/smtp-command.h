/* Parses one SMTP command line: verb and argument (RFC 5321 section 4.1.1, RFC 3207, Postfix's
 * XCLIENT and XFORWARD), and the paths, parameters and attributes in an argument.
 *
 *     MAIL FROM:<bounce@example.com> SIZE=1200 BODY=8BITMIME
 */
#ifndef RUNNER_SMTP_COMMAND_H
#define RUNNER_SMTP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum {
	SMTP_ADDRESS_MAX = 320, /* 64 octets, @, 255 octets (RFC 5321 section 4.5.3.1) */
	SMTP_NAME_MAX = 255,
};

enum smtp_verb {
	SMTP_EHLO,
	SMTP_HELO,
	SMTP_MAIL,
	SMTP_RCPT,
	SMTP_DATA,
	SMTP_RSET,
	SMTP_NOOP,
	SMTP_QUIT,
	SMTP_VRFY,
	SMTP_EXPN,
	SMTP_HELP,
	SMTP_STARTTLS,
	SMTP_XCLIENT,
	SMTP_XFORWARD,
	SMTP_UNKNOWN,
};

/* Splits a line (no line end, NUL-terminated) at its verb; *argument points into it, spaces at both
 * ends removed. */
enum smtp_verb smtp_command_parse(char *line, char **argument);

/* A path: the text between < and >. */
struct smtp_path {
	char address[SMTP_ADDRESS_MAX + 1]; /* as sent, "" for <> */
	bool utf8;         /* has octets above 127, which need SMTPUTF8 (RFC 6531) */
	bool source_route; /* <@relay:user@example.com> */
	bool quoted;       /* <"user"@example.com> */
	bool rerouted;     /* % or ! in the local part: an address within an address */
	bool postmaster;   /* <postmaster>, which needs no domain (RFC 5321 section 4.1.1.3) */
};

/* Reads KEYWORD:<path> ("FROM", "TO"; a space after the colon is accepted) and leaves *rest at the
 * parameters. False when the argument does not have that form, or the address is too long or has no
 * domain. */
bool smtp_path_parse(
	const char *argument, const char *keyword, struct smtp_path *path, const char **rest);

/* The next "NAME=value" or "NAME" of a list separated by spaces; false at its end. */
struct smtp_parameter {
	char name[32];
	char value[SMTP_NAME_MAX + 1]; /* "" when there is none */
	bool odd;                      /* name or value too long, or no name */
};
bool smtp_parameter_next(const char **list, struct smtp_parameter *parameter);

/* Decodes xtext (RFC 3461 section 4: +XX) in place; false when the text is not xtext or decodes to
 * a control character. */
bool smtp_xtext_decode(char *text);

#endif

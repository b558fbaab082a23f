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
	/* maximum length of an address: 64 octets, @ and 255 octets (RFC 5321 section 4.5.3.1) */
	SMTP_ADDRESS_MAX = 320,
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

/* Splits a line (without its line end, NUL-terminated) after its verb. *argument points to the rest
 * of the line, without spaces at both ends. */
enum smtp_verb smtp_command_parse(char *line, char **argument);

/* A path: the text between < and >. */
struct smtp_path {
	/* the address as sent, without a source route; "" for <> */
	char address[SMTP_ADDRESS_MAX + 1];
	bool utf8;         /* the address has octets above 127, which need SMTPUTF8 (RFC 6531) */
	bool source_route; /* the path has a source route: <@relay:user@example.com> */
	bool quoted;       /* the local part is quoted: <"user"@example.com> */
	bool rerouted;     /* % or ! in the local part: an address within an address */
	bool postmaster;   /* <postmaster>, which needs no domain (RFC 5321 section 4.1.1.3) */
};

/* Parses KEYWORD:<path> ("FROM", "TO"; a space after the colon is accepted); *rest then points to
 * the parameters. False when the argument does not have that form, or the address is too long or
 * has no domain. */
bool smtp_path_parse(
	const char *argument, const char *keyword, struct smtp_path *path, const char **rest);

/* A parameter of a command: "NAME=value" or "NAME". */
struct smtp_parameter {
	char name[32];
	char value[SMTP_NAME_MAX + 1]; /* the value; "" when there is none */
	bool odd; /* malformed: name or value is too long, or there is no name */
};
/* Reads the next parameter of a list separated by spaces; false at its end. */
bool smtp_parameter_next(const char **list, struct smtp_parameter *parameter);

/* Decodes xtext (RFC 3461 section 4: +XX) in place; false when the text is not xtext or decodes to
 * a control character. */
bool smtp_xtext_decode(char *text);

#endif

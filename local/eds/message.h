/* Reads a message from a file, and sends it to a test address. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "local/eds/command.h"

struct cli_message {
	const char *bytes;
	size_t length;
};

/* Reads the file, or standard input for "-", and makes each LF without a CR before it CR LF. False
 * after printing an error. */
bool cli_read_message(const struct cli_call *call, const char *file, struct cli_message *message);

/* Sends the message over SMTP to the server that --smtp names (else 127.0.0.1:2525), with the
 * envelope sender that --mail-from names (else none). Returns CLI_DONE, or CLI_UNAVAILABLE or
 * CLI_REFUSED after printing an error. */
int cli_send_mail(
	const struct cli_call *call, const char *recipient, const struct cli_message *message);

#endif

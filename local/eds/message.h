/* Reads a message that the user has, and sends it to a test address. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "local/eds/command.h"

struct cli_message {
	const char *bytes;
	size_t length;
};

/* Reads the file, or standard input for "-", and ends every line with CR LF. False after a
 * sentence.
 */
bool cli_read_message(const struct cli_call *call, const char *file, struct cli_message *message);

/* Sends the message over SMTP to the server named by --smtp, from --mail-from. CLI_DONE, or
 * CLI_UNAVAILABLE or CLI_REFUSED after printing the error. */
int cli_send_mail(
	const struct cli_call *call, const char *recipient, const struct cli_message *message);

#endif

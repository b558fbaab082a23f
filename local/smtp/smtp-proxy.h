/* The commands XCLIENT and XFORWARD, which Postfix defines. With them a trusted proxy names the
 * client whose mail the proxy passes on.
 *
 *     XCLIENT NAME=mail.example.com ADDR=192.0.2.1 HELO=mail.example.com
 *
 * XCLIENT restarts the session in the client's name; XFORWARD applies to one transaction.
 */
#ifndef RUNNER_SMTP_PROXY_H
#define RUNNER_SMTP_PROXY_H

#include "local/smtp/smtp-session-state.h"

void smtp_command_xclient(struct smtp_session *session, char *argument);
void smtp_command_xforward(struct smtp_session *session, char *argument);

#endif

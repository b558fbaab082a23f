/* XCLIENT and XFORWARD: a trusted proxy says whose mail it hands on (as Postfix defines them).
 *
 *     XCLIENT NAME=mail.example.com ADDR=192.0.2.1 HELO=mail.example.com
 *
 * XCLIENT begins the session anew in the client's name; XFORWARD holds for one transaction.
 */
#ifndef RUNNER_SMTP_PROXY_H
#define RUNNER_SMTP_PROXY_H

#include "local/smtp/smtp-session-state.h"

/* Commands of a trusted proxy (smtp-proxy.c). */
void smtp_command_xclient(struct smtp_session *session, char *argument);
void smtp_command_xforward(struct smtp_session *session, char *argument);

#endif

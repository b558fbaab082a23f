/* Messages on their way from the SMTP server into the spool: small ones whole, large ones in
 * pieces. */
#ifndef RUNNER_INTAKE_STORE_H
#define RUNNER_INTAKE_STORE_H

#include "local/serve/intake-state.h"

/* NULL without memory. */
struct request *intake_request_new(struct intake *intake, struct smtp_connection *connection);
void intake_request_free(struct request *request);

/* Client, HELO, sender and TLS of a log line. Recipients are not named: who knows a test address
 * has its results. */
void intake_describe(char text[ENVELOPE_TEXT_MAX], const struct smtp_mail *mail);

/* Calls of the SMTP server; arg is the intake. */
void intake_store(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail);
void intake_keep(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail);
void intake_forget(void *arg, struct smtp_connection *connection);

/* A large message will not become whole: ends the request. */
void intake_forget_stream(struct request *request);

#endif

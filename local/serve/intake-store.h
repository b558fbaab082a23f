/* Puts messages from the SMTP server into the spool: small ones whole, large ones in pieces. */
#ifndef RUNNER_INTAKE_STORE_H
#define RUNNER_INTAKE_STORE_H

#include "local/serve/intake-state.h"

/* Makes a request; NULL when out of memory. */
struct request *intake_request_new(struct intake *intake, struct smtp_connection *connection);
void intake_request_free(struct request *request);

/* Writes client, HELO, sender and TLS for a log line. Recipients are left out, because anybody who
 * knows a test address can read its results. */
void intake_describe(char text[ENVELOPE_TEXT_MAX], const struct smtp_mail *mail);

/* Called by the SMTP sessions (struct smtp_intake); arg is the intake. */
void intake_on_store(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail);
void intake_on_keep(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail);
void intake_on_forget(void *arg, struct smtp_connection *connection);

/* Ends the request of a large message that will not be completed. */
void intake_forget_stream(struct request *request);

#endif

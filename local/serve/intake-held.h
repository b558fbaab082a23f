/* How full the room for mail is. The runner counts the mail in the spool; the function mail-accept
 * reports the test mail in the mail store, at RCPT and also every minute, so that the number is
 * current when no mail comes. */
#ifndef RUNNER_INTAKE_HELD_H
#define RUNNER_INTAKE_HELD_H

#include "local/serve/intake-state.h"
#include "local/serve/intake.h"

/* Asks for the stored octets at the start and then every minute. */
bool intake_held_start(struct intake *intake);
void intake_held_stop(struct intake *intake);

/* Records an answer: stored octets in the mail store when left octets had left the spool. */
void intake_held_told(struct intake *intake, uint64_t stored, uint64_t left);

/* Updates the metrics of the fill. */
void intake_held_show(struct intake *intake);

void intake_fill(const struct intake *intake, struct intake_fill *fill);

#endif

/* Computes how much of the room for mail (EDS_TESTER_MAIL_QUOTA) is used, and shows it in metrics.
 * The runner counts the mail in the spool; the function mail-accept reports the test mail in the
 * mail store when it accepts a test address, and also every minute, so that the number is current
 * even when no mail arrives. */
#ifndef RUNNER_INTAKE_HELD_H
#define RUNNER_INTAKE_HELD_H

#include "local/serve/intake-state.h"
#include "local/serve/intake.h"

/* Asks mail-accept for the stored octets at once, and then every minute. False when out of
 * memory. */
bool intake_held_start(struct intake *intake);
void intake_held_stop(struct intake *intake);

/* Records an answer of mail-accept: `stored` octets were in the mail store when `left` octets had
 * left the spool. */
void intake_held_told(struct intake *intake, uint64_t stored, uint64_t left);

/* Updates the metrics that show how much of the room is used. */
void intake_held_show(struct intake *intake);

/* Computes how much of the room is used. */
void intake_fill(const struct intake *intake, struct intake_fill *fill);

#endif

/* How full the room for mail is: what the spool holds is counted here, what the mail store keeps of
 * tests the function mail-accept tells, at RCPT and, so that it is known when no mail comes, every
 * minute. */
#ifndef RUNNER_INTAKE_HELD_H
#define RUNNER_INTAKE_HELD_H

#include "local/serve/intake-state.h"
#include "local/serve/intake.h"

/* intake-held.c: what is stored is asked about at the start and every minute. */
bool intake_held_start(struct intake *intake);
void intake_held_stop(struct intake *intake);

/* So much was stored when so much had left the spool. */
void intake_held_told(struct intake *intake, uint64_t stored, uint64_t left);

/* The metrics of it. */
void intake_held_show(struct intake *intake);

void intake_fill(const struct intake *intake, struct intake_fill *fill);

#endif

/* The accounts whose rows one run delivers, so that an account whose receivers hang leaves room for
 * the others. The share of an account is a sixth of the room that is left in the run. So each
 * further account whose receivers hang gets a smaller share, and it takes dozens of such accounts
 * to fill a run. An account that has reached its share is left out of claims until it holds less
 * than half of its share. */
#ifndef EDS_WEBHOOKS_SHARES_H
#define EDS_WEBHOOKS_SHARES_H

#include "runtime/ctx.h"

struct shares;

/* room: the number of rows that a run can hold. */
struct shares *shares_new(struct rt_ctx *ctx, size_t room);

/* Takes room for a row of the account. Returns false when the account already holds its whole
 * share, or the run is full. */
RT_MUST_USE bool shares_take(struct shares *shares, const char *account_id);

/* Gives back the room of one row of the account. */
void shares_give_back(struct shares *shares, const char *account_id);

/* The number of rows that all accounts hold. */
size_t shares_held(const struct shares *shares);

/* The accounts to be left out of a claim, in ctx's memory, as eds_store_outbox_turn() takes them;
 * "" when there are none. */
const char *shares_left_out(struct shares *shares, struct rt_ctx *ctx);

/* True when an account that was left out of the latest claim has room again. */
bool shares_have_opened(const struct shares *shares);

#endif

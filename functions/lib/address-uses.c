#include "functions/lib/address-uses.h"
#include "functions/lib/store/accounts/address-use.h"

struct counter {
	struct rt_ctx *ctx;
	struct eds_store *store;
	struct eds_address_hours hours;
};

/* Allows the uses when the store fails: the checks fail anyway when their outcomes are written to
 * the store. */
static bool take(void *arg, const char *account, const char *what, int count, int max)
{
	const struct counter *counter = arg;
	bool taken = true;

	if (eds_store_address_use(
		    counter->ctx, counter->store, account, what, count, max, &taken) != RT_OK)
		rt_fail_clear(counter->ctx);
	return taken;
}

const struct eds_address_hours *eds_address_uses(struct rt_ctx *ctx, struct eds_store *store)
{
	struct counter *counter = rt_alloc(ctx, sizeof *counter);

	*counter = (struct counter){.ctx = ctx, .store = store};
	counter->hours = (struct eds_address_hours){.take = take, .arg = counter};
	return &counter->hours;
}

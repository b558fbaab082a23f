#include "functions/webhooks/shares.h"

#include "runtime/buffer.h"

enum {
	LEFT_OUT_BYTES_MAX = 64 * 1024,
	SHARES_IN_ROOM = 6,
};

struct account {
	struct account *next;
	const char *id;
	size_t held;
	bool is_left_out;
};

struct shares {
	struct rt_ctx *ctx;
	size_t room;
	size_t held;
	bool have_opened;
	struct account *accounts;
};

struct shares *shares_new(struct rt_ctx *ctx, size_t room)
{
	struct shares *shares = rt_alloc(ctx, sizeof *shares);

	*shares = (struct shares){.ctx = ctx, .room = room};
	return shares;
}

static struct account *find(struct shares *shares, const char *id)
{
	struct account *account = shares->accounts;

	while (account != NULL && strcmp(account->id, id) != 0)
		account = account->next;
	if (account != NULL)
		return account;
	account = rt_alloc(shares->ctx, sizeof *account);
	*account = (struct account){.next = shares->accounts, .id = rt_strdup(shares->ctx, id)};
	shares->accounts = account;
	return account;
}

static size_t share(const struct shares *shares)
{
	size_t part = (shares->room - shares->held) / SHARES_IN_ROOM;

	return part > 0 ? part : 1;
}

bool shares_take(struct shares *shares, const char *account_id)
{
	struct account *account = find(shares, account_id);
	bool has_room = account->held < share(shares) && shares->held < shares->room;

	if (has_room) {
		account->held++;
		shares->held++;
	}
	if (account->held >= share(shares))
		account->is_left_out = true;
	return has_room;
}

/* Lets the account take part in claims again if it holds no rows, or less than half of its share:
 * then the rows of the next claim find room. */
static void open_again(struct shares *shares, struct account *account)
{
	if (!account->is_left_out || (account->held > 0 && account->held * 2 >= share(shares)))
		return;
	account->is_left_out = false;
	shares->have_opened = true;
}

void shares_give_back(struct shares *shares, const char *account_id)
{
	struct account *account = find(shares, account_id);

	account->held--;
	shares->held--;
	open_again(shares, account);
}

size_t shares_held(const struct shares *shares)
{
	return shares->held;
}

const char *shares_left_out(struct shares *shares, struct rt_ctx *ctx)
{
	struct rt_buffer ids;

	rt_buffer_init(&ids, ctx, LEFT_OUT_BYTES_MAX);
	for (struct account *account = shares->accounts; account != NULL; account = account->next) {
		open_again(shares, account);
		if (account->is_left_out)
			rt_buffer_format(&ids, "%s%s|", ids.length == 0 ? "|" : "", account->id);
	}
	shares->have_opened = false;
	return ids.length > 0 ? ids.bytes : "";
}

bool shares_have_opened(const struct shares *shares)
{
	return shares->have_opened;
}

/* webhooks-deliver: every minute
 *
 * out   {"delivered": 120, "failed": 3, "postponed": 7}: the numbers of outbox rows that their
 *       receivers accepted, of rows whose try failed or that were given up, and of rows that were
 *       put off without counting a try, mostly because their host is silent
 *
 * Claims due rows in groups, with accounts taking turns, and runs up to 256 deliveries in one loop.
 * The number of deliveries of one account is limited, so that other accounts have room (shares.h).
 * Only a few of an account's deliveries go to a host at a time until the host has answered
 * (hosts.h). Outcomes are written together, with the next claim or after half a second. Any number
 * of runs may overlap: rows whose outcomes a killed or late run has not written are due again when
 * their leases end, and are sent again under the same id.
 */
#include "functions/lib/claimed.h"
#include "functions/lib/store/alerts/outbox-due.h"
#include "functions/webhooks/hosts.h"
#include "functions/webhooks/shares.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

enum {
	GROUP = 20,
	/* The maximum number of attempts at a time. It includes attempts that wait for their host,
	 * and attempts whose outcome is not yet written. At worst each attempt holds 200 KB: its
	 * body, a TLS connection, and an answer. */
	UNDER_WAY_MAX = 256,
	WRITE_AT = 50,
	WRITE_EVERY_MS = 500,
	/* How often rows are claimed when there is room for less than a group, or when only
	 * accounts that are left out have due rows. */
	CLAIM_EVERY_MS = 500,
	/* When less than this is left of the event's time, nothing is claimed: DNS and a fetch may
	 * take that long. */
	CLAIM_MS = 25 * 1000,
	/* Time reserved at the end of the event for writing the outcomes that are known then. */
	WRITE_MS = 3 * 1000,
};

/* Rows that were claimed together. */
struct group {
	struct eds_claimed claimed;
	struct run *run;
	struct attempt attempts[GROUP];
};

struct run {
	struct rt_ctx *ctx;
	struct eds_store *store;
	struct eds_fetcher *fetcher;
	struct hosts *hosts;
	struct shares *shares;
	struct eds_claimed_pool groups;
	/* the latest claim took every row that was due, except rows of the accounts that it left
	 * out */
	bool exhausted;
	bool has_left_out; /* the latest claim left out at least one account (shares.h) */
	/* rows of the latest claim were given back; the next claim leaves their accounts out */
	bool has_given_back;
	int64_t claimed_ms;
	struct eds_outbox_due done[UNDER_WAY_MAX]; /* outcomes to be written */
	struct group *owners[UNDER_WAY_MAX];
	size_t done_count;
	int64_t written_ms;
	size_t delivered;
	size_t failed;
	size_t postponed;
};

static struct group *take_group(struct run *run)
{
	struct group *group = eds_claimed_take(&run->groups);

	group->run = run;
	return group;
}

static void count(struct run *run, enum eds_outbox_outcome outcome)
{
	if (outcome == EDS_OUTBOX_DELIVERED)
		run->delivered++;
	else if (outcome == EDS_OUTBOX_UNTRIED)
		run->postponed++;
	else
		run->failed++;
}

static void add_done(struct group *group, const struct eds_outbox_due *due)
{
	struct run *run = group->run;

	run->owners[run->done_count] = group;
	run->done[run->done_count++] = *due;
}

static void take_done(struct attempt *attempt)
{
	struct group *group = attempt->arg;
	struct run *run = group->run;

	count(run, attempt->due->outcome);
	shares_give_back(run->shares, attempt->due->account_id);
	add_done(group, attempt->due);
	if (attempt->begun)
		hosts_done(run->hosts, attempt);
}

/* Writes the known outcomes and claims up to max rows into the group. Claims no rows of the
 * accounts in left_out. */
static rt_status turn(struct run *run, struct group *group, const char *left_out, size_t max,
	struct eds_outbox_due **claimed, size_t *claimed_count)
{
	struct rt_ctx *ctx = &group->claimed.ctx;

	RT_TRY(rt_ctx_join(run->ctx, ctx,
		eds_store_outbox_turn(ctx, run->store, run->done, run->done_count, left_out, max,
			claimed, claimed_count)));
	for (size_t i = 0; i < run->done_count; i++)
		eds_claimed_written(&run->owners[i]->claimed);
	run->done_count = 0;
	run->written_ms = rt_monotonic_ms();
	return RT_OK;
}

/* Gives back a claimed row whose account has no room in the run: the row is due again at once. */
static void give_back(struct group *group, struct eds_outbox_due *due)
{
	due->outcome = EDS_OUTBOX_GIVEN_BACK;
	due->next_at_ms = rt_wall_ms();
	add_done(group, due);
	group->run->has_given_back = true;
}

static void begin(struct group *group, struct attempt *attempt, struct eds_outbox_due *due)
{
	if (!shares_take(group->run->shares, due->account_id)) {
		give_back(group, due);
		return;
	}
	*attempt = (struct attempt){
		.ctx = &group->claimed.ctx, .due = due, .done = take_done, .arg = group};
	if (attempt_prepare(attempt))
		hosts_add(group->run->hosts, attempt);
}

static size_t room(const struct run *run)
{
	return (size_t)UNDER_WAY_MAX - shares_held(run->shares) - run->done_count;
}

static rt_status claim(struct run *run)
{
	struct group *group = take_group(run);
	const char *left_out = shares_left_out(run->shares, &group->claimed.ctx);
	size_t max = room(run) < GROUP ? room(run) : GROUP;
	struct eds_outbox_due *items;
	size_t claimed;

	RT_TRY(turn(run, group, left_out, max, &items, &claimed));
	run->claimed_ms = rt_monotonic_ms();
	run->has_left_out = *left_out != '\0';
	run->exhausted = claimed < max;
	run->has_given_back = false;
	if (claimed == 0) {
		eds_claimed_give_back(&group->claimed);
		return RT_OK;
	}
	group->claimed.unwritten = claimed;
	for (size_t i = 0; i < claimed; i++)
		begin(group, &group->attempts[i], &items[i]);
	return RT_OK;
}

static rt_status write_done(struct run *run)
{
	struct eds_outbox_due *items;
	struct group *group;
	size_t none;

	run->written_ms = rt_monotonic_ms();
	if (run->done_count == 0)
		return RT_OK;
	group = take_group(run);
	RT_TRY(turn(run, group, "", 0, &items, &none));
	eds_claimed_give_back(&group->claimed);
	return RT_OK;
}

static bool goes_on_claiming(const struct run *run)
{
	return (!run->exhausted || run->has_left_out || run->has_given_back) &&
		rt_remaining_ms(run->ctx) > CLAIM_MS;
}

static bool is_time_to_claim(const struct run *run)
{
	if (!goes_on_claiming(run) || room(run) == 0)
		return false;
	if (run->has_given_back)
		return true;
	if (room(run) >= GROUP && (!run->exhausted || shares_have_opened(run->shares)))
		return true;
	return rt_monotonic_ms() - run->claimed_ms >= CLAIM_EVERY_MS;
}

static bool is_time_to_write(const struct run *run)
{
	return run->done_count >= WRITE_AT || rt_monotonic_ms() - run->written_ms >= WRITE_EVERY_MS;
}

static rt_status deliver_all(struct run *run)
{
	int left_ms;

	RT_TRY(claim(run));
	while ((shares_held(run->shares) > 0 || goes_on_claiming(run)) &&
		(left_ms = rt_remaining_ms(run->ctx) - WRITE_MS) > 0) {
		if (shares_held(run->shares) > 0)
			eds_fetch_turn(
				run->fetcher, left_ms < WRITE_EVERY_MS ? left_ms : WRITE_EVERY_MS);
		if (is_time_to_write(run)) {
			hosts_turn(run->hosts);
			RT_TRY(write_done(run));
		}
		if (is_time_to_claim(run))
			RT_TRY(claim(run));
	}
	return RT_OK;
}

/* Stops everything in progress. The order matters: the hosts first, so that no waiting delivery
 * begins; then DNS, because an answer would begin a fetch; then the fetches. */
static void cut_short(struct run *run)
{
	hosts_cancel(run->hosts);
	eds_dns_queue_cancel(eds_fetcher_dns(run->fetcher));
	eds_fetch_cancel(run->fetcher);
}

static rt_status deliver_due(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct run *run = rt_alloc(ctx, sizeof *run);
	rt_status status;

	(void)event;
	run->ctx = ctx;
	run->groups = (struct eds_claimed_pool){.ctx = ctx, .bytes = sizeof(struct group)};
	RT_TRY(eds_store_open(ctx, &run->store));
	RT_TRY(eds_fetcher_new(ctx, &run->fetcher));
	run->hosts = hosts_new(ctx, run->fetcher);
	run->shares = shares_new(ctx, UNDER_WAY_MAX);
	status = deliver_all(run);
	cut_short(run); /* stops everything in progress before its groups are freed */
	RT_TRY(status);
	RT_TRY(write_done(run));
	RT_TRY(eds_store_outbox_forget(ctx, run->store));
	*answer = json_object();
	rt_json_set(*answer, "delivered", json_integer((json_int_t)run->delivered));
	rt_json_set(*answer, "failed", json_integer((json_int_t)run->failed));
	rt_json_set(*answer, "postponed", json_integer((json_int_t)run->postponed));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, deliver_due);
}

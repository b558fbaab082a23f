/* mta-sts-check: every minute
 *
 * out   {"checked": 1200, "failed": 5}: the numbers of domains whose check was completed, and of
 *       domains whose check was not. A check is not completed when the policy was not fetched,
 *       because many policies of the account are fetched from one IP address. When DNS or eds
 *       itself failed temporarily, a check is not completed if the previous outcome is less than an
 *       hour old, or if the time of this run was over; the next check is then due in a minute, or
 *       in an hour if MTA-STS is off. The answer also has "policyCertificatesEnding": 0 and other
 *       members about certificates (certificates.h), and "portClosed": 1 while no mail server can
 *       be reached from here
 *
 * First ends the hosting of policies when the account's plan no longer includes hosting (ending.h).
 * Then claims due domains in groups and checks several hundred domains at once in one loop. A group
 * is claimed whenever there is room, so that a domain whose servers hang does not hold up the
 * others. Outcomes are written together, with the next claim or after half a second. Any number of
 * runs may overlap: rows that a killed or late run leaves unwritten are due again when their lease
 * is over.
 */
#include "functions/lib/address-uses.h"
#include "functions/lib/claimed.h"
#include "functions/lib/mta-sts/probe-port.h"
#include "functions/lib/store/mta-sts/mta-sts-claim.h"
#include "functions/lib/store/mta-sts/mta-sts-due.h"
#include "functions/mta-sts/certificates.h"
#include "functions/mta-sts/ending.h"
#include "functions/mta-sts/outcome.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

enum {
	GROUP = 100,
	/* maximum number of checks at a time: as many as memory allows; usually fewer checks than
	 * this wait for servers that do not answer */
	UNDER_WAY_MAX = 600,
	WRITE_MAX = 200, /* outcomes are written as soon as this many wait */
	WRITE_EVERY_MS = 500,
	/* results of TXT lookups are written as soon as this many wait; a check waits until its own
	 * result is written */
	LOOK_MAX = 100,
	LOOK_EVERY_MS = 20,
	/* A check can take this long; when less time is left, nothing is claimed. */
	CLAIM_MS = 25 * 1000,
	/* Time reserved for writing the outcomes. */
	WRITE_MS = 3 * 1000,
};

/* Domains claimed together. */
struct group {
	struct eds_claimed claimed;
	struct run *run;
	struct eds_mta_sts_due *items;
	struct eds_check *checks;
};

struct run {
	struct rt_ctx *ctx;
	struct eds_store *store;
	struct eds_checks *checks;
	struct eds_claimed_pool groups;
	bool exhausted; /* no further domain is due */
	bool cut_short;
	struct eds_mta_sts_due done[UNDER_WAY_MAX]; /* outcomes to be written */
	struct group *owners[UNDER_WAY_MAX];        /* owners[i]: the group of done[i] */
	size_t done_count;
	int64_t written_ms;
	struct eds_check *looked[UNDER_WAY_MAX]; /* checks that wait until their results of TXT
						  * lookups, in looks[], are written */
	struct eds_mta_sts_look looks[UNDER_WAY_MAX];
	size_t look_count;
	int64_t looked_ms; /* when the first check in looked[] began to wait */
	size_t checked;
	size_t failed;
	struct mta_sts_certificates certificates;
};

static struct group *take_group(struct run *run)
{
	struct group *group = eds_claimed_take(&run->groups);

	group->run = run;
	return group;
}

static void take_checked(void *arg, struct eds_check *check)
{
	struct group *group = arg;
	struct run *run = group->run;
	struct eds_mta_sts_due *due = &group->items[check - group->checks];

	mta_sts_settle(due, check, run->cut_short);
	mta_sts_certificates_note(&run->certificates, check, rt_wall_ms());
	*(due->outcome == EDS_MTA_STS_CHECKED ? &run->checked : &run->failed) += 1;
	run->owners[run->done_count] = group;
	run->done[run->done_count++] = *due;
}

/* Several accounts may have registered the name; its TXT record decides whose policy is served
 * here. So the id seen in DNS is written before the check fetches the policy. An id that changes
 * nothing need not be written. */
static void take_look(void *arg, struct eds_check *check)
{
	struct run *run = ((struct group *)arg)->run;

	if (eds_mta_sts_is_settled(check->config, check->seen.dns_id)) {
		eds_checks_go_on(check);
		return;
	}
	if (run->look_count == 0)
		run->looked_ms = rt_monotonic_ms();
	run->looked[run->look_count] = check;
	run->looks[run->look_count++] = (struct eds_mta_sts_look){
		.name = check->config->name, .id = check->seen.dns_id};
}

static void let_looks_go(struct run *run)
{
	size_t count = run->look_count;

	run->look_count = 0;
	for (size_t i = 0; i < count; i++)
		eds_checks_go_on(run->looked[i]);
}

/* Writes looks[] and lets the checks continue, even if writing failed: eds_checks_cancel() requires
 * that no check waits. */
static rt_status write_looks(struct run *run)
{
	rt_status status = eds_store_mta_sts_look(
		run->ctx, run->store, run->looks, run->look_count);

	let_looks_go(run);
	return status;
}

static bool is_time_for_looks(const struct run *run)
{
	return run->look_count >= LOOK_MAX ||
		(run->look_count > 0 && rt_monotonic_ms() - run->looked_ms >= LOOK_EVERY_MS);
}

/* Writes the outcomes in done[] to the database and claims up to max domains into the group, in one
 * transaction. */
static rt_status turn(struct run *run, struct group *group, size_t max, size_t *claimed)
{
	struct rt_ctx *ctx = &group->claimed.ctx;
	size_t written;
	rt_status status = eds_store_mta_sts_turn(
		ctx, run->store, run->done, run->done_count, &written, max, &group->items, claimed);

	RT_TRY(rt_ctx_join(run->ctx, ctx, status));
	for (size_t i = 0; i < run->done_count; i++)
		eds_claimed_written(&run->owners[i]->claimed);
	run->done_count = 0;
	run->written_ms = rt_monotonic_ms();
	return RT_OK;
}

static rt_status claim(struct run *run)
{
	struct group *group = take_group(run);
	size_t count;

	RT_TRY(turn(run, group, GROUP, &count));
	run->exhausted = count < GROUP;
	if (count == 0) {
		eds_claimed_give_back(&group->claimed);
		return RT_OK;
	}
	group->claimed.unwritten = count;
	group->checks = rt_alloc_array(&group->claimed.ctx, count, sizeof *group->checks);
	for (size_t i = 0; i < count; i++) {
		mta_sts_prepare(&group->claimed.ctx, &group->items[i], &group->checks[i]);
		group->checks[i].done = take_checked;
		group->checks[i].looked = take_look;
		group->checks[i].arg = group;
		eds_checks_start(run->checks, &group->checks[i]);
	}
	return RT_OK;
}

static rt_status write_done(struct run *run)
{
	struct group *group;
	size_t none;

	if (run->done_count == 0)
		return RT_OK;
	group = take_group(run);
	RT_TRY(turn(run, group, 0, &none));
	eds_claimed_give_back(&group->claimed);
	return RT_OK;
}

static bool has_room(const struct run *run)
{
	return !run->exhausted && eds_checks_count(run->checks) + GROUP <= UNDER_WAY_MAX &&
		rt_remaining_ms(run->ctx) > CLAIM_MS;
}

static bool is_time_to_write(const struct run *run)
{
	return run->done_count >= WRITE_MAX ||
		rt_monotonic_ms() - run->written_ms >= WRITE_EVERY_MS;
}

static rt_status check_all(struct run *run)
{
	int left_ms;

	run->written_ms = rt_monotonic_ms();
	RT_TRY(claim(run));
	while (eds_checks_count(run->checks) > 0 &&
		(left_ms = rt_remaining_ms(run->ctx) - WRITE_MS) > 0) {
		int turn_ms = run->look_count > 0 ? LOOK_EVERY_MS : WRITE_EVERY_MS;

		eds_checks_turn(run->checks, left_ms < turn_ms ? left_ms : turn_ms);
		if (is_time_for_looks(run))
			RT_TRY(write_looks(run));
		if (has_room(run))
			RT_TRY(claim(run));
		else if (is_time_to_write(run))
			RT_TRY(write_done(run));
	}
	run->cut_short = true;
	RT_TRY(write_looks(run));
	eds_checks_cancel(run->checks);
	return write_done(run);
}

static rt_status check_due(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct run *run = rt_alloc(ctx, sizeof *run);
	size_t accounts;
	rt_status status;

	(void)event;
	run->ctx = ctx;
	run->groups = (struct eds_claimed_pool){.ctx = ctx, .bytes = sizeof(struct group)};
	RT_TRY(eds_store_open(ctx, &run->store));
	RT_TRY(mta_sts_end_hosting(ctx, run->store));
	RT_TRY(eds_checks_new(ctx, eds_address_uses(ctx, run->store), &run->checks));
	status = check_all(run);
	if (status != RT_OK) {
		let_looks_go(run);
		/* canceled before the groups are freed, because the checks point into the groups */
		eds_checks_cancel(run->checks);
	}
	RT_TRY(status);
	RT_TRY(eds_store_mta_sts_forget(ctx, run->store));
	*answer = json_object();
	rt_json_set(*answer, "checked", json_integer((json_int_t)run->checked));
	rt_json_set(*answer, "failed", json_integer((json_int_t)run->failed));
	mta_sts_certificates_tell(&run->certificates, rt_wall_ms(), *answer);
	RT_TRY(eds_store_accounts_with_domains(ctx, run->store, EDS_PROBES_ACCOUNTS, &accounts));
	if (eds_probes_port_is_closed(ctx, accounts))
		rt_json_set(*answer, "portClosed", json_integer(1));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, check_due);
}

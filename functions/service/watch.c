/* service-watch: every minute
 *
 * out   {"databaseAway": 0, "mailStoreAway": 0, "dnsAway": 0, "spoolAway": 0, "helpersAway": 0,
 *       "spoolDamaged": 0, "selectorsLateSeconds": 0, "mtaStsLateSeconds": 0,
 *       "postureLateSeconds": 0, "reportWatchLateSeconds": 0, "uploadsLateSeconds": 0,
 *       "webhooksLateSeconds": 0, "alertMailsLateSeconds": 0, "listsSilent": 0,
 *       "backupAgeSeconds": 40000}
 *
 * spoolAway: no mail can be stored. spoolDamaged: mail in the spool cannot be read.
 * backupAgeSeconds is missing where infra/systemd/backup makes no backups.
 *
 * The numbers are for monitoring: the runner shows them in /metrics, the cloud adapter writes them
 * as metrics into its log. The …LateSeconds are missing while the database does not answer,
 * listsSilent while the resolver does not. The function changes nothing, and any number of runs may
 * overlap.
 */
#include <sys/socket.h>

#include "functions/lib/dnsbl/dnsbl.h"
#include "functions/service/parts.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/log.h"

static bool is_away(const struct service_state *state, enum service_part part)
{
	return state->reason[part] != NULL && (part != SERVICE_SPOOL || !state->spool_takes_mail);
}

static void tell_away(struct rt_ctx *ctx, const struct service_state *state, json_t *answer)
{
	static const char *const names[SERVICE_PARTS] = {
		[SERVICE_DATABASE] = "databaseAway",
		[SERVICE_MAIL_STORE] = "mailStoreAway",
		[SERVICE_DNS] = "dnsAway",
		[SERVICE_SPOOL] = "spoolAway",
		[SERVICE_HELPERS] = "helpersAway",
	};

	for (enum service_part part = 0; part < SERVICE_PARTS; part++) {
		rt_json_set(answer, names[part], json_integer(is_away(state, part)));
		if (state->reason[part] != NULL)
			rt_log(ctx, RT_LOG_ERROR, "%s does not work: %s", service_part_name(part),
				state->reason[part]);
	}
	rt_json_set(answer, "spoolDamaged", json_integer(state->spool_damaged));
	if (state->backup_age_s >= 0)
		rt_json_set(answer, "backupAgeSeconds", json_integer(state->backup_age_s));
}

static void tell_late(const struct eds_backlog *backlog, json_t *answer)
{
	rt_json_set(answer, "selectorsLateSeconds", json_integer(backlog->selectors_s));
	rt_json_set(answer, "mtaStsLateSeconds", json_integer(backlog->mta_sts_s));
	rt_json_set(answer, "postureLateSeconds", json_integer(backlog->posture_s));
	rt_json_set(answer, "reportWatchLateSeconds", json_integer(backlog->report_watch_s));
	rt_json_set(answer, "uploadsLateSeconds", json_integer(backlog->uploads_s));
	rt_json_set(answer, "webhooksLateSeconds", json_integer(backlog->webhooks_s));
	rt_json_set(answer, "alertMailsLateSeconds", json_integer(backlog->alert_mails_s));
}

/* The test address that every blocklist lists (RFC 5782 section 5). If a list does not list this
 * address when we ask, perhaps because the list refuses our resolver, the list tells us nothing
 * about senders either. */
static const struct rt_ip LISTED = {.family = AF_INET, .bytes = {127, 0, 0, 2}};

static json_int_t silent_lists(struct rt_ctx *ctx, struct eds_dns *dns)
{
	struct eds_dnsbl_result results[RT_DNSBL_KINDS];
	json_int_t silent = 0;

	eds_dnsbl_check(ctx, dns, &LISTED, results);
	for (size_t i = 0; i < RT_DNSBL_KINDS; i++) {
		if (rt_config()->dnsbl[i].zone[0] == '\0' || results[i].state == EDS_DNSBL_LISTED)
			continue;
		silent++;
		rt_log(ctx, RT_LOG_WARNING, "the %s list gives no usable answer: %s",
			results[i].label, results[i].reason);
	}
	return silent;
}

static rt_status tell_lists(struct rt_ctx *ctx, json_t *answer)
{
	struct eds_dns *dns;

	RT_TRY(eds_dns_open(ctx, &dns));
	rt_json_set(answer, "listsSilent", json_integer(silent_lists(ctx, dns)));
	return RT_OK;
}

static rt_status watch(struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct service_state state;

	(void)event;
	service_look(ctx, &state);
	*answer = json_object();
	tell_away(ctx, &state, *answer);
	if (state.database_answers)
		tell_late(&state.backlog, *answer);
	return state.reason[SERVICE_DNS] == NULL ? tell_lists(ctx, *answer) : RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, watch);
}

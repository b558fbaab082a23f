#include "local/serve/intake-held.h"
#include "local/dispatch/dispatch-answer.h"
#include "local/serve/intake-state.h"
#include "runtime/config/config.h"

enum {
	LOOK_SECONDS = 60,
	PERCENT = 100,
};

/* Stores the number of octets that mail-accept reported. Answers may arrive in another order than
 * the questions. The answer to an older question must not replace the answer to a newer one. */
void intake_held_told(struct intake *intake, uint64_t stored, uint64_t left)
{
	if (left < intake->left)
		return;
	intake->told = true;
	intake->stored = stored;
	intake->left = left;
}

static void on_answered(void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct intake *intake = arg;
	uint64_t stored[HELD_LEVELS];

	if (outcome == POOL_ANSWERED && dispatch_read_stored(text, length, stored))
		intake_held_told(intake, stored[HELD_ALL], intake->look_left);
}

/* Asks for the stored octets from time to time. If the database does not answer, other code reports
 * that, and the last known number stays. */
static void on_look(evutil_socket_t fd, short what, void *arg)
{
	static const char question[] = "{\"stored\":true}";
	struct intake *intake = arg;
	const struct manifest_function *function = manifest_find(intake->manifest, "mail-accept");

	(void)fd;
	(void)what;
	intake->look_left = held_mail_left(intake->held);
	if (function != NULL)
		pools_submit(intake->pools, function, question, sizeof question - 1, on_answered,
			intake);
}

bool intake_held_start(struct intake *intake)
{
	const struct timeval interval = {.tv_sec = LOOK_SECONDS};

	intake->held_in_spool = metric_gauge("eds_mail_held_bytes",
		"Octets of mail in the spool, and of test mail in the mail store.",
		"where=\"spool\"");
	intake->held_in_store = metric_gauge("eds_mail_held_bytes",
		"Octets of mail in the spool, and of test mail in the mail store.",
		"where=\"store\"");
	intake->held_percent = metric_gauge("eds_mail_held_percent",
		"How much of the room for mail is used; 0 without a limit.", "");
	metric_set(metric_gauge("eds_mail_held_limit_bytes",
			   "Room for mail, octets (EDS_TESTER_MAIL_QUOTA); 0 for no limit.", ""),
		(uint64_t)rt_config()->mail_quota.all);
	intake->look = event_new(intake->base, -1, EV_PERSIST, on_look, intake);
	if (intake->look == NULL || event_add(intake->look, &interval) != 0)
		return false;
	on_look(-1, 0, intake);
	return true;
}

void intake_held_stop(struct intake *intake)
{
	if (intake->look != NULL)
		event_free(intake->look);
	intake->look = NULL;
}

/* The octets of mail in the mail store. Octets that left the spool since the question of the last
 * answer was asked count as stored; some of these may be deleted by now, and the next answer
 * corrects the number. 0 before the first answer. */
static uint64_t in_store(const struct intake *intake)
{
	return intake->told ? intake->stored + held_mail_left(intake->held) - intake->left : 0;
}

void intake_fill(const struct intake *intake, struct intake_fill *fill)
{
	*fill = (struct intake_fill){
		.held_bytes = held_mail_octets(intake->held) + in_store(intake),
		.limit_bytes = (uint64_t)rt_config()->mail_quota.all,
	};
	if (fill->limit_bytes > 0)
		fill->share = (double)fill->held_bytes / (double)fill->limit_bytes;
}

void intake_held_show(struct intake *intake)
{
	struct intake_fill fill;

	intake_fill(intake, &fill);
	metric_set(intake->held_in_spool, held_mail_octets(intake->held));
	metric_set(intake->held_in_store, in_store(intake));
	metric_set(intake->held_percent, (uint64_t)(fill.share * PERCENT));
}

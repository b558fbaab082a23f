#include "local/serve/intake.h"
#include "local/dispatch/dispatch-wait.h"
#include "local/spool/spool-replay.h"
#include "runtime/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/dispatch/dispatch-answer.h"
#include "local/serve/intake-held.h"
#include "local/serve/intake-state.h"
#include "local/serve/intake-store.h"
#include "local/smtp/tls.h"
#include "runtime/buffer.h"
#include "runtime/config/config.h"
#include "runtime/host/json-write.h"
#include "runtime/host/metrics.h"
#include "runtime/ip.h"
#include "runtime/log.h"

enum {
	QUESTION_BYTES_MAX = 4096,
	DRAIN_POLL_MS = 20,
};

static void on_closed(void *arg, struct smtp_connection *connection)
{
	struct request *request = smtp_connection_request(connection);

	(void)arg;
	if (request == NULL)
		return;
	smtp_connection_set_request(connection, NULL);
	request->connection = NULL;
	if (request->stream != NULL)
		intake_forget_stream(request);
}

static void on_refused(void *arg, const struct smtp_mail *envelope, const char *reply)
{
	struct intake *intake = arg;
	char text[ENVELOPE_TEXT_MAX];

	metric_add(intake->refused, 1);
	intake_describe(text, envelope);
	rt_log_line(RT_LOG_INFO, NULL, NULL, "mail refused %s: %s", text, reply);
}

static void on_recipient_answered(
	void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct request *request = arg;
	struct smtp_connection *connection = request->connection;
	struct accept_result result;

	dispatch_read_accept(request->intake->manifest, outcome, text, length, &result);
	if (result.answer == ACCEPT_FAILED)
		rt_log_line(RT_LOG_ERROR, "mail-accept", NULL, "no answer about a recipient: %s",
			result.text);
	if (result.tells_stored)
		intake_held_told(request->intake, result.bounds.stored[HELD_ALL], request->left);
	if (connection != NULL && result.answer == ACCEPT_TAKEN)
		smtp_connection_recipient(connection, SMTP_RECIPIENT_TAKEN, result.function->name,
			NULL, &result.bounds);
	else if (connection != NULL && result.answer == ACCEPT_REFUSED)
		smtp_connection_recipient(
			connection, SMTP_RECIPIENT_REFUSED, NULL, result.text, NULL);
	else if (connection != NULL)
		smtp_connection_recipient(connection, SMTP_RECIPIENT_UNKNOWN, NULL, NULL, NULL);
	intake_request_free(request);
}

static void on_recipient(
	void *arg, struct smtp_connection *connection, const char *address, const char *client)
{
	struct intake *intake = arg;
	const struct manifest_function *function = manifest_find(intake->manifest, "mail-accept");
	struct request *request = function == NULL ? NULL : intake_request_new(intake, connection);
	struct rt_buffer question;

	if (request == NULL) {
		smtp_connection_recipient(connection, SMTP_RECIPIENT_UNKNOWN, NULL, NULL, NULL);
		return;
	}
	request->left = held_mail_left(intake->held);
	rt_buffer_init_heap(&question, QUESTION_BYTES_MAX);
	rt_buffer_text(&question, "{\"recipient\":");
	json_write_text(&question, address);
	rt_buffer_text(&question, ",\"clientIp\":");
	json_write_text(&question, client);
	rt_buffer_text(&question, "}");
	pools_submit(intake->pools, function, question.bytes, question.length,
		on_recipient_answered, request);
	rt_buffer_done(&question);
}

static void add_left(void *arg, const struct spool_place *place, const struct spool_mail *mail)
{
	struct intake *intake = arg;
	size_t octets = place->target == 0 ? mail->length : 0;

	if (!held_mail_take(intake->held, mail->client_ip, octets))
		octets = 0;
	dispatch_add(intake->dispatch, place, mail->targets[place->target].function,
		mail->client_ip, octets, mail->received_at_ms);
}

static bool start_spool(struct intake *intake, const char *folder)
{
	const struct dispatch_settings settings = {
		.base = intake->base,
		.pools = intake->pools,
		.manifest = intake->manifest,
		.pauses_ms = {1000, 10000},
		.put_off_ms = 5000,
	};
	struct dispatch_settings with_spool = settings;
	char error[SPOOL_ERROR_MAX];

	intake->spool = spool_open(intake->base, folder, error);
	if (intake->spool == NULL) {
		rt_log_line(RT_LOG_ERROR, NULL, NULL, "%s", error);
		return false;
	}
	with_spool.spool = intake->spool;
	with_spool.held = intake->held;
	intake->dispatch = dispatch_new(&with_spool);
	return intake->dispatch != NULL;
}

static size_t damaged_files(void)
{
	char folder[SPOOL_PATH_MAX];

	return spool_folder(folder) ? rt_spool_damaged(folder) : 0;
}

/* Sends the events that are left in the spool. Called when the SMTP server and the spool are ready,
 * since events that are being processed need the complete intake. */
static void send_left(struct intake *intake)
{
	size_t damaged = damaged_files();
	uint64_t lost = spool_replay(intake->spool, add_left, intake);

	if (damaged_files() > damaged)
		rt_log_line(RT_LOG_ERROR, NULL, NULL,
			"files of the spool hold accepted mail that cannot be read; they are kept in " RT_SPOOL_DAMAGED
			"/ of the spool, see infra/runbooks/mail-damaged.md");
	if (lost > 0)
		rt_log_line(RT_LOG_WARNING, NULL, NULL,
			"%" PRIu64
			" octets of the spool are not part of a complete record and are skipped",
			lost);
	if (dispatch_queued(intake->dispatch) > 0)
		rt_log_line(RT_LOG_INFO, NULL, NULL,
			"sending %zu mail events that were left in the spool",
			dispatch_queued(intake->dispatch));
}

static bool start_server(struct intake *intake)
{
	const struct smtp_server_settings settings = {
		.base = intake->base,
		.address = rt_config()->smtp_listen,
		.host_name = rt_config()->tester_domain,
		.trusted = &rt_config()->smtp_trusted,
		.blocked = &rt_config()->blocked_networks,
		.tls = intake->tls,
		.held = intake->held,
		.clocks = {SMTP_COMMAND_SECONDS * 1000, SMTP_SESSION_SECONDS * 1000,
			SMTP_DATA_SECONDS * 1000},
		.intake = {.on_recipient = on_recipient,
			.on_store = intake_on_store,
			.on_keep = intake_on_keep,
			.on_forget = intake_on_forget,
			.on_refused = on_refused},
		.on_closed = on_closed,
		.arg = intake,
	};
	char error[SMTP_SERVER_ERROR_MAX];

	intake->server = smtp_server_new(&settings, error);
	if (intake->server == NULL)
		rt_log_line(RT_LOG_ERROR, NULL, NULL, "EDS_SMTP_LISTEN: %s", error);
	return intake->server != NULL;
}

static bool start(struct intake *intake)
{
	char folder[SPOOL_PATH_MAX];
	char error[TLS_ERROR_MAX];

	if (!spool_folder(folder)) {
		rt_log_line(RT_LOG_ERROR, NULL, NULL, "EDS_MAIL_STORE is too long");
		return false;
	}
	intake->held = held_mail_new(&rt_config()->mail_quota, &rt_config()->trusted_relays);
	if (intake->held == NULL || !start_spool(intake, folder))
		return false;
	intake->tls = tls_server_new(folder, rt_config()->tester_domain, error);
	if (intake->tls == NULL) {
		rt_log_line(RT_LOG_ERROR, NULL, NULL, "SMTP: %s", error);
		return false;
	}
	if (!start_server(intake))
		return false;
	send_left(intake);
	return intake_held_start(intake);
}

struct intake *intake_start(
	struct event_base *base, struct pools *pools, const struct manifest *manifest)
{
	struct intake *intake = calloc(1, sizeof *intake);

	if (intake == NULL)
		return NULL;
	intake->base = base;
	intake->pools = pools;
	intake->manifest = manifest;
	intake->arena = rt_arena_new();
	intake->accepted = metric_counter(
		"eds_mail_accepted_total", "Messages answered with 250.", "");
	intake->unjudged = metric_counter("eds_mail_unjudged_total",
		"Accepted messages whose client has no public address, so that SPF, reverse DNS "
		"and blocklists stay unknown.",
		"");
	intake->refused = metric_counter(
		"eds_mail_refused_total", "Recipients and messages answered with 4xx or 5xx.", "");
	intake->damaged = metric_gauge("eds_mail_damaged_files",
		"Damaged files of the spool: they hold accepted mail that cannot be read, and are "
		"kept in damaged/.",
		"");
	if (!start(intake)) {
		intake_free(intake);
		return NULL;
	}
	return intake;
}

const char *intake_absence(const struct intake *intake)
{
	return dispatch_absence(intake->dispatch);
}

void intake_look_at_clock(struct intake *intake)
{
	dispatch_look_at_clock(intake->dispatch);
	intake_held_show(intake);
	metric_set(intake->damaged, damaged_files());
}

int intake_port(const struct intake *intake)
{
	return smtp_server_port(intake->server);
}

static void on_drain_poll(evutil_socket_t fd, short what, void *arg)
{
	const struct timeval interval = {.tv_usec = DRAIN_POLL_MS * 1000};
	struct intake *intake = arg;

	(void)fd;
	(void)what;
	if (smtp_server_connections(intake->server) == 0 ||
		rt_monotonic_ms() >= intake->drain_until_ms)
		intake->drained(intake->drained_arg);
	else
		evtimer_add(intake->drain_poll, &interval);
}

void intake_drain(struct intake *intake, void (*drained)(void *arg), void *arg)
{
	intake->drained = drained;
	intake->drained_arg = arg;
	intake->drain_until_ms = rt_monotonic_ms() + INTAKE_DRAIN_SECONDS * 1000;
	intake_held_stop(intake);
	dispatch_stop(intake->dispatch);
	smtp_server_drain(intake->server);
	intake->drain_poll = evtimer_new(intake->base, on_drain_poll, intake);
	event_active(intake->drain_poll, EV_TIMEOUT, 0);
}

void intake_free(struct intake *intake)
{
	if (intake->server != NULL)
		smtp_server_close(intake->server);
	/* The last callbacks of the spool still use the dispatch and the budget of the server. So
	 * the spool is closed before the dispatch and the server are freed. */
	if (intake->spool != NULL)
		spool_close(intake->spool);
	if (intake->server != NULL)
		smtp_server_free(intake->server);
	if (intake->dispatch != NULL)
		dispatch_free(intake->dispatch);
	if (intake->drain_poll != NULL)
		event_free(intake->drain_poll);
	intake_held_stop(intake);
	if (intake->held != NULL)
		held_mail_free(intake->held);
	SSL_CTX_free(intake->tls);
	rt_arena_free(intake->arena);
	free(intake);
}

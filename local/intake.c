#include "local/intake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/dispatch-answer.h"
#include "local/dispatch.h"
#include "local/smtp-server.h"
#include "local/spool.h"
#include "local/tls.h"
#include "runtime/config.h"
#include "runtime/host/bytes.h"
#include "runtime/host/json-write.h"
#include "runtime/host/metrics.h"
#include "runtime/ip.h"
#include "runtime/log.h"

enum {
	QUEUED_MAX = 500000, /* events waiting; past it, mail is put off with 452 */
	QUESTION_BYTES_MAX = 4096,
	ENVELOPE_TEXT_MAX = 1024,
	DRAIN_POLL_MS = 20,
};
static const uint64_t spool_bytes_max = 4ULL * 1024 * 1024 * 1024;

struct intake {
	struct event_base *base;
	struct pools *pools;
	const struct manifest *manifest;
	struct spool *spool;
	struct dispatch *dispatch;
	struct smtp_server *server;
	SSL_CTX *tls;
	struct rt_arena *arena; /* of one message on its way into the spool */
	struct event *drain_poll;
	int64_t drain_until_ms;
	void (*drained)(void *arg);
	void *drained_arg;
	struct metric *accepted;
	struct metric *refused;
};

/* A question of a connection's, answered later; the connection may be gone by then. */
struct request {
	struct intake *intake;
	struct smtp_connection *connection; /* NULL when gone */
	char *message;                      /* being stored */
	size_t held_bytes;
	char id[64]; /* of the first target, for the reply */
	char client_ip[RT_IP_TEXT_MAX];
	char envelope[ENVELOPE_TEXT_MAX]; /* for the log */
	size_t recipient_count;
	size_t length;
	const char *functions[SPOOL_TARGETS_MAX];
	size_t target_count;
};

static struct request *request_new(struct intake *intake, struct smtp_connection *connection)
{
	struct request *request = calloc(1, sizeof *request);

	if (request == NULL)
		return NULL;
	request->intake = intake;
	request->connection = connection;
	smtp_connection_set_request(connection, request);
	return request;
}

static void request_free(struct request *request)
{
	if (request->connection != NULL)
		smtp_connection_set_request(request->connection, NULL);
	free(request);
}

static void connection_closed(void *arg, struct smtp_connection *connection)
{
	struct request *request = smtp_connection_request(connection);

	(void)arg;
	if (request != NULL)
		request->connection = NULL;
}

/* Client, HELO, sender and TLS of a log line. Recipients are not named: who knows a test address
 * has its results. */
static void describe(char text[ENVELOPE_TEXT_MAX], const struct smtp_mail *mail)
{
	snprintf(text, ENVELOPE_TEXT_MAX, "from <%s>, client %s, HELO %s, %s", mail->mail_from,
		mail->client_ip[0] != '\0' ? mail->client_ip : "unknown",
		mail->helo[0] != '\0' ? mail->helo : "none",
		mail->tls[0] != '\0' ? mail->tls : "no TLS");
}

static void on_refused(void *arg, const struct smtp_mail *envelope, const char *reply)
{
	struct intake *intake = arg;
	char text[ENVELOPE_TEXT_MAX];

	metric_add(intake->refused, 1);
	describe(text, envelope);
	rt_log_line(RT_LOG_INFO, NULL, NULL, "mail refused %s: %s", text, reply);
}

static void recipient_answered(
	void *arg, enum pool_outcome outcome, const char *text, size_t length)
{
	struct request *request = arg;
	struct smtp_connection *connection = request->connection;
	struct accept_result result;

	dispatch_read_accept(request->intake->manifest, outcome, text, length, &result);
	if (result.answer == ACCEPT_FAILED)
		rt_log_line(RT_LOG_ERROR, "mail-accept", NULL, "no answer about a recipient: %s",
			result.text);
	if (connection != NULL && result.answer == ACCEPT_TAKEN)
		smtp_connection_recipient(
			connection, SMTP_RECIPIENT_TAKEN, result.function->name, NULL);
	else if (connection != NULL && result.answer == ACCEPT_REFUSED)
		smtp_connection_recipient(connection, SMTP_RECIPIENT_REFUSED, NULL, result.text);
	else if (connection != NULL)
		smtp_connection_recipient(connection, SMTP_RECIPIENT_UNKNOWN, NULL, NULL);
	request_free(request);
}

static void ask_recipient(void *arg, struct smtp_connection *connection, const char *address)
{
	struct intake *intake = arg;
	const struct manifest_function *function = manifest_find(intake->manifest, "mail-accept");
	struct request *request = function == NULL ? NULL : request_new(intake, connection);
	struct bytes question;

	if (request == NULL) {
		smtp_connection_recipient(connection, SMTP_RECIPIENT_UNKNOWN, NULL, NULL);
		return;
	}
	bytes_init(&question, QUESTION_BYTES_MAX);
	bytes_text(&question, "{\"recipient\":");
	json_write_text(&question, address);
	bytes_text(&question, "}");
	pools_submit(intake->pools, function, question.data, question.length, recipient_answered,
		request);
	bytes_done(&question);
}

static void log_accepted(const struct request *request)
{
	metric_add(request->intake->accepted, 1);
	rt_log_line(RT_LOG_INFO, NULL, request->id, "mail taken %s, %zu octets to %zu recipients",
		request->envelope, request->length, request->recipient_count);
}

/* Durable, or not. */
static void stored(void *arg, const struct spool_place *place, int error)
{
	struct request *request = arg;
	struct intake *intake = request->intake;

	smtp_server_release(intake->server, request->held_bytes);
	free(request->message);
	if (place != NULL)
		log_accepted(request);
	else
		rt_log_line(RT_LOG_ERROR, NULL, request->id, "mail cannot be kept in the spool: %s",
			strerror(error));
	if (request->connection != NULL)
		smtp_connection_stored(request->connection,
			place != NULL ? SMTP_STORED : SMTP_NOT_STORED, request->id);
	for (uint32_t i = 0; place != NULL && i < request->target_count; i++) {
		struct spool_place target = *place;

		target.target = i;
		dispatch_add(intake->dispatch, &target, request->functions[i], request->client_ip);
	}
	request_free(request);
}

/* Each function gets a message of its own, with its recipients alone. */
static void add_to_target(
	struct rt_ctx *ctx, struct spool_mail *mail, const struct smtp_recipient *recipient)
{
	struct spool_target *target = mail->targets;

	while (target < mail->targets + mail->target_count &&
		strcmp(target->function, recipient->function) != 0)
		target++;
	if (target == mail->targets + mail->target_count) {
		mail->target_count++;
		target->function = recipient->function;
		target->message_id = rt_uuid(ctx);
		target->recipients = rt_alloc_array(
			ctx, SMTP_RECIPIENTS_MAX, sizeof *target->recipients);
	}
	target->recipients[target->recipient_count++] = recipient->address;
}

static void fill_spool_mail(
	struct rt_ctx *ctx, const struct smtp_mail *mail, struct spool_mail *kept)
{
	*kept = (struct spool_mail){
		.received_at_ms = rt_wall_ms(),
		.client_ip = mail->client_ip,
		.helo = mail->helo,
		.mail_from = mail->mail_from,
		.tls = mail->tls,
		.protocol = mail->protocol,
		.targets = rt_alloc_array(ctx, SPOOL_TARGETS_MAX, sizeof *kept->targets),
		.message = mail->message,
		.length = mail->length,
	};
	for (size_t i = 0; i < mail->recipient_count; i++)
		add_to_target(ctx, kept, &mail->recipients[i]);
}

static void append(struct intake *intake, struct request *request, const struct smtp_mail *mail)
{
	struct rt_ctx ctx = {.arena = intake->arena};
	struct spool_mail kept;

	fill_spool_mail(&ctx, mail, &kept);
	snprintf(request->client_ip, sizeof request->client_ip, "%s", mail->client_ip);
	describe(request->envelope, mail);
	request->recipient_count = mail->recipient_count;
	request->length = mail->length;
	request->message = mail->message;
	request->held_bytes = mail->held_bytes;
	request->target_count = kept.target_count;
	snprintf(request->id, sizeof request->id, "%s", kept.targets[0].message_id);
	for (size_t i = 0; i < kept.target_count; i++)
		request->functions[i] =
			manifest_find(intake->manifest, kept.targets[i].function)->name;
	spool_append(intake->spool, &kept, stored, request);
	rt_arena_reset(intake->arena);
}

static void store(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct intake *intake = arg;
	bool full = dispatch_queued(intake->dispatch) >= QUEUED_MAX ||
		spool_bytes(intake->spool) >= spool_bytes_max;
	struct request *request = full ? NULL : request_new(intake, connection);

	if (request != NULL) {
		append(intake, request, mail);
		return;
	}
	smtp_server_release(intake->server, mail->held_bytes);
	free(mail->message);
	smtp_connection_stored(connection, full ? SMTP_STORE_BUSY : SMTP_NOT_STORED, NULL);
}

static void add_left(void *arg, const struct spool_place *place, const struct spool_mail *mail)
{
	struct intake *intake = arg;

	dispatch_add(
		intake->dispatch, place, mail->targets[place->target].function, mail->client_ip);
}

static bool start_spool(struct intake *intake, const char *folder)
{
	const struct dispatch_settings settings = {
		.base = intake->base,
		.pools = intake->pools,
		.manifest = intake->manifest,
		.pauses_ms = {1000, 10000},
	};
	struct dispatch_settings with_spool = settings;
	char error[SPOOL_ERROR_MAX];

	intake->spool = spool_open(intake->base, folder, error);
	if (intake->spool == NULL) {
		rt_log_line(RT_LOG_ERROR, NULL, NULL, "%s", error);
		return false;
	}
	with_spool.spool = intake->spool;
	intake->dispatch = dispatch_new(&with_spool);
	return intake->dispatch != NULL;
}

/* Once nothing can fail any more: events that are under way need what is set up here. */
static void send_left(struct intake *intake)
{
	uint64_t lost = spool_replay(intake->spool, add_left, intake);

	if (lost > 0)
		rt_log_line(RT_LOG_WARNING, NULL, NULL,
			"%" PRIu64 " octets of the spool were no whole record and are passed over",
			lost);
	if (dispatch_queued(intake->dispatch) > 0)
		rt_log_line(RT_LOG_INFO, NULL, NULL, "%zu mail events left in the spool are sent",
			dispatch_queued(intake->dispatch));
}

static bool start_server(struct intake *intake)
{
	const struct smtp_server_settings settings = {
		.base = intake->base,
		.address = rt_config()->smtp_listen,
		.host_name = rt_config()->tester_domain,
		.trusted = &rt_config()->smtp_trusted,
		.tls = intake->tls,
		.clocks = {SMTP_COMMAND_SECONDS * 1000, SMTP_SESSION_SECONDS * 1000,
			SMTP_DATA_SECONDS * 1000},
		.calls = {ask_recipient, store, on_refused, connection_closed},
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
	if (!start_spool(intake, folder))
		return false;
	intake->tls = tls_server_new(folder, rt_config()->tester_domain, error);
	if (intake->tls == NULL) {
		rt_log_line(RT_LOG_ERROR, NULL, NULL, "SMTP: %s", error);
		return false;
	}
	if (!start_server(intake))
		return false;
	send_left(intake);
	return true;
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
	intake->refused = metric_counter(
		"eds_mail_refused_total", "Recipients and messages answered with 4xx or 5xx.", "");
	if (!start(intake)) {
		intake_free(intake);
		return NULL;
	}
	return intake;
}

int intake_port(const struct intake *intake)
{
	return smtp_server_port(intake->server);
}

static void poll_drain(evutil_socket_t fd, short what, void *arg)
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
	dispatch_stop(intake->dispatch);
	smtp_server_drain(intake->server);
	intake->drain_poll = evtimer_new(intake->base, poll_drain, intake);
	event_active(intake->drain_poll, EV_TIMEOUT, 0);
}

void intake_free(struct intake *intake)
{
	if (intake->spool != NULL)
		spool_close(intake->spool);
	if (intake->server != NULL)
		smtp_server_free(intake->server);
	if (intake->dispatch != NULL)
		dispatch_free(intake->dispatch);
	if (intake->drain_poll != NULL)
		event_free(intake->drain_poll);
	SSL_CTX_free(intake->tls);
	rt_arena_free(intake->arena);
	free(intake);
}

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/serve/intake-state.h"
#include "local/serve/intake-store.h"
#include "runtime/log.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

enum {
	QUEUED_MAX = 500000, /* when the dispatch has this many events, new mail gets 452 */
};
static const uint64_t spool_bytes_max = 4ULL * 1024 * 1024 * 1024;

struct request *intake_request_new(struct intake *intake, struct smtp_connection *connection)
{
	struct request *request = calloc(1, sizeof *request);

	if (request == NULL)
		return NULL;
	request->intake = intake;
	request->connection = connection;
	smtp_connection_set_request(connection, request);
	return request;
}

void intake_request_free(struct request *request)
{
	if (request->connection != NULL)
		smtp_connection_set_request(request->connection, NULL);
	free(request);
}

void intake_forget_stream(struct request *request)
{
	spool_stream_drop(request->stream);
	intake_request_free(request);
}

static const char *tls_text(const char *tls)
{
	if (tls[0] == '\0')
		return "TLS unknown";
	return strcmp(tls, "none") == 0 ? "no TLS" : tls;
}

void intake_describe(char text[ENVELOPE_TEXT_MAX], const struct smtp_mail *mail)
{
	snprintf(text, ENVELOPE_TEXT_MAX, "from <%s>, client %s, HELO %s, %s", mail->mail_from,
		mail->client_ip[0] != '\0' ? mail->client_ip : "unknown",
		mail->helo[0] != '\0' ? mail->helo : "none", tls_text(mail->tls));
}

/* True if SPF cannot be judged because the client's address is private. A relay that does not send
 * XFORWARD gives all mail such an address. False for the address of a trusted relay, since such a
 * relay names the client in its Received field. */
static bool is_unjudged(const struct request *request)
{
	const struct rt_cidr_list *relays = &rt_config()->trusted_relays;
	struct rt_ip ip;

	return rt_ip_parse(request->client_ip, &ip) &&
		!rt_ip_is_public(&ip, rt_config()->allow_private) &&
		!rt_cidrs_contain(relays->items, relays->count, &ip);
}

static void count_unjudged(const struct request *request)
{
	struct intake *intake = request->intake;

	metric_add(intake->unjudged, 1);
	if (intake->told_unjudged)
		return;
	intake->told_unjudged = true;
	rt_log_line(RT_LOG_WARNING, NULL, request->id,
		"the client %s has no public address, so SPF, reverse DNS and blocklists stay "
		"unknown; if it is a relay like Postfix, EDS_SMTP_TRUSTED must name it",
		request->client_ip);
}

static void log_accepted(const struct request *request)
{
	metric_add(request->intake->accepted, 1);
	if (is_unjudged(request))
		count_unjudged(request);
	rt_log_line(RT_LOG_INFO, NULL, request->id,
		"mail accepted %s, %zu octets to %zu recipients", request->envelope,
		request->length, request->recipient_count);
}

static void log_not_kept(const char *id, int error)
{
	rt_log_line(RT_LOG_ERROR, NULL, id, "mail cannot be kept in the spool: %s%s",
		strerror(error),
		error == ENOENT
			? "; the spool's folder is gone, and the runner makes it again when "
			  "it starts"
			: "");
}

/* Called when the message is durable (place is its record) or could not be stored (place is NULL).
 */
static void on_stored(void *arg, const struct spool_place *place, int error)
{
	struct request *request = arg;
	struct intake *intake = request->intake;

	if (request->share != NULL)
		smtp_share_settle(request->share, request->held_bytes);
	free(request->message);
	if (place != NULL)
		log_accepted(request);
	else
		held_mail_give_back(intake->held, request->client_ip, request->length);
	if (place == NULL)
		log_not_kept(request->id, error);
	if (request->connection != NULL)
		smtp_connection_stored(request->connection,
			place != NULL ? SMTP_STORED : SMTP_NOT_STORED, request->id);
	/* The octets are counted once per message, with the first target. */
	for (uint32_t i = 0; place != NULL && i < request->target_count; i++) {
		struct spool_place target = *place;

		target.target = i;
		dispatch_add(intake->dispatch, &target, request->functions[i], request->client_ip,
			i == 0 ? request->length : 0, rt_wall_ms());
	}
	intake_request_free(request);
}

/* Adds a recipient. Each function gets its own message, with only its own recipients. */
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
	struct spool_stream *stream = request->stream;
	struct spool_mail kept;

	request->stream = NULL;
	fill_spool_mail(&ctx, mail, &kept);
	snprintf(request->client_ip, sizeof request->client_ip, "%s", mail->client_ip);
	intake_describe(request->envelope, mail);
	request->recipient_count = mail->recipient_count;
	request->length = mail->given + mail->length;
	request->message = mail->message;
	request->share = mail->share;
	request->held_bytes = mail->held_bytes;
	request->target_count = kept.target_count;
	snprintf(request->id, sizeof request->id, "%s", kept.targets[0].message_id);
	for (size_t i = 0; i < kept.target_count; i++)
		request->functions[i] =
			manifest_find(intake->manifest, kept.targets[i].function)->name;
	if (stream == NULL)
		spool_append(intake->spool, &kept, on_stored, request);
	else
		spool_stream_finish(stream, &kept, on_stored, request);
	rt_arena_reset(intake->arena);
}

static bool is_full(const struct intake *intake)
{
	return dispatch_queued(intake->dispatch) >= QUEUED_MAX ||
		spool_bytes(intake->spool) >= spool_bytes_max;
}

void intake_on_store(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct intake *intake = arg;
	struct request *request = smtp_connection_request(connection);
	bool full = request == NULL && is_full(intake);

	if (request == NULL && !full)
		request = intake_request_new(intake, connection);
	if (request != NULL) {
		append(intake, request, mail);
		return;
	}
	held_mail_give_back(intake->held, mail->client_ip, mail->given + mail->length);
	if (mail->share != NULL)
		smtp_share_settle(mail->share, mail->held_bytes);
	free(mail->message);
	smtp_connection_stored(connection, full ? SMTP_STORE_BUSY : SMTP_NOT_STORED, NULL);
}

static struct request *begin_stream(
	struct intake *intake, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct request *request = is_full(intake) ? NULL : intake_request_new(intake, connection);
	struct rt_ctx ctx = {.arena = intake->arena};
	struct spool_mail kept;

	if (request == NULL)
		return NULL;
	fill_spool_mail(&ctx, mail, &kept);
	request->stream = spool_stream_new(intake->spool, &kept);
	rt_arena_reset(intake->arena);
	if (request->stream != NULL)
		return request;
	intake_request_free(request);
	return NULL;
}

static void on_piece_written(void *arg, int error)
{
	struct request *request = arg;
	struct smtp_connection *connection = request->connection;

	if (error != 0) {
		log_not_kept(NULL, error);
		intake_forget_stream(request);
	}
	smtp_connection_kept(connection, error == 0);
}

void intake_on_keep(void *arg, struct smtp_connection *connection, const struct smtp_mail *mail)
{
	struct request *request = smtp_connection_request(connection);

	if (request == NULL)
		request = begin_stream(arg, connection, mail);
	if (request != NULL) {
		spool_stream_write(
			request->stream, mail->message, mail->length, on_piece_written, request);
		return;
	}
	free(mail->message);
	smtp_connection_kept(connection, false);
}

void intake_on_forget(void *arg, struct smtp_connection *connection)
{
	struct request *request = smtp_connection_request(connection);

	(void)arg;
	if (request != NULL)
		intake_forget_stream(request);
}

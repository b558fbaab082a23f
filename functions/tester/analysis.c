#include "functions/tester/analysis.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "functions/lib/dkim/signature.h"
#include "functions/tester/scoring.h"
#include "runtime/mailstore.h"

enum {
	SETTLE_MS = 300, /* for what was asked ahead, before the verification begins without it */
};

struct message {
	int fd;
	const char *bytes;
	size_t length;
	struct eds_header header;
};

struct mapping {
	void *bytes;
	size_t length;
};

static void unmap(void *handle)
{
	struct mapping *mapping = handle;

	munmap(mapping->bytes, mapping->length);
}

static rt_status map_message(struct rt_ctx *ctx, struct message *message)
{
	struct mapping *mapping = rt_alloc(ctx, sizeof *mapping);

	message->bytes = "";
	if (message->length == 0)
		return RT_OK;
	mapping->length = message->length;
	mapping->bytes = mmap(NULL, message->length, PROT_READ, MAP_PRIVATE, message->fd, 0);
	if (mapping->bytes == MAP_FAILED)
		return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
			"the message cannot be mapped: %s", strerror(errno));
	rt_on_release(ctx, unmap, mapping);
	message->bytes = mapping->bytes;
	return RT_OK;
}

static rt_status open_message(struct rt_ctx *ctx, const char *message_id, struct message *message)
{
	RT_TRY(rt_mailstore_open(ctx, message_id, &message->fd, &message->length));
	RT_TRY(map_message(ctx, message));
	eds_header_read(ctx, message->bytes, message->length, &message->header);
	return RT_OK;
}

static const char *from_domain(const struct analysis *analysis)
{
	return analysis->from.state == EDS_FROM_ONE ? analysis->from.domains[0] : NULL;
}

/* MAIL FROM's domain; From's where the envelope sender is empty. */
static const char *sender_domain(struct rt_ctx *ctx, const struct analysis *analysis)
{
	if (analysis->mail_from[0] != '\0')
		return eds_address_domain(ctx, analysis->mail_from);
	return from_domain(analysis);
}

static void prefetch_spf(struct rt_ctx *ctx, struct eds_dns *dns, const struct analysis *analysis)
{
	const char *domain = eds_address_domain(ctx, analysis->mail_from);

	if (!analysis->client.is_public)
		return;
	if (domain != NULL)
		eds_spf_prefetch(ctx, dns, domain);
	if (analysis->client.helo[0] != '\0' && !analysis->client.helo_literal)
		eds_spf_prefetch(ctx, dns, analysis->client.helo);
}

static void prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct analysis *analysis,
	const struct eds_header *header)
{
	prefetch_spf(ctx, dns, analysis);
	eds_dkim_prefetch(ctx, dns, header);
	if (from_domain(analysis) != NULL)
		eds_dmarc_prefetch(ctx, dns, from_domain(analysis));
	ptr_prefetch(ctx, dns, &analysis->client);
	mx_prefetch(ctx, dns, sender_domain(ctx, analysis));
	if (analysis->client.is_public)
		eds_dnsbl_prefetch(ctx, dns, &analysis->client.ip);
}

static rt_status verify(struct rt_ctx *ctx, struct eds_dns *dns, const struct message *message,
	struct analysis *analysis)
{
	struct eds_verify_output output;
	struct eds_verify_input input = {
		.message_fd = message->fd,
		.message_bytes = message->length,
		.received_at_ms = analysis->received_at_ms,
		.helo = analysis->client.helo,
		.mail_from = analysis->mail_from,
		.receiver = rt_config()->tester_domain,
	};

	if (analysis->client.is_public)
		input.client = analysis->client.ip;
	RT_TRY(eds_verify(ctx, dns, &input, &output));
	analysis->spf = output.spf;
	analysis->spf_helo = output.spf_helo;
	analysis->dkim = output.dkim;
	return RT_OK;
}

static void judge(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_header *header,
	struct analysis *analysis)
{
	const struct rt_ip *public_ip = analysis->client.is_public ? &analysis->client.ip : NULL;

	eds_dmarc_evaluate(
		ctx, dns, &analysis->from, &analysis->spf, &analysis->dkim, &analysis->dmarc);
	ptr_check(ctx, dns, &analysis->client, &analysis->ptr);
	mx_check(ctx, dns, sender_domain(ctx, analysis), &analysis->mx);
	eds_dnsbl_check(ctx, dns, public_ip, analysis->lists);
	headers_check(ctx, header, analysis->received_at_ms, &analysis->headers);
}

static rt_status analyse(
	struct rt_ctx *ctx, const struct rt_mail_event *mail, struct analysis *analysis)
{
	struct message message = {0};
	struct eds_dns *dns;

	RT_TRY(open_message(ctx, mail->message_id, &message));
	RT_TRY(eds_dns_open(ctx, &dns));
	analysis->received_at_ms = mail->received_at_ms;
	analysis->mail_from = mail->mail_from;
	eds_client_find(ctx, mail, &message.header, rt_config()->tester_domain, &analysis->client);
	eds_from_read(ctx, &message.header, &analysis->from);
	prefetch(ctx, dns, analysis, &message.header);
	/* A verification that is handed all answers at once asks nothing back. */
	eds_dns_settle(dns, SETTLE_MS);
	RT_TRY(verify(ctx, dns, &message, analysis));
	judge(ctx, dns, &message.header, analysis);
	scoring_apply(analysis);
	return RT_OK;
}

/* What is left of the event's time is for storing the result, however slow the sender's DNS. */
rt_status analysis_run(
	struct rt_ctx *ctx, const struct rt_mail_event *mail, struct analysis *analysis)
{
	int64_t deadline_ms = ctx->deadline_ms;
	int64_t latest_ms = rt_monotonic_ms() + ANALYSIS_TIME_MS;
	rt_status status;

	memset(analysis, 0, sizeof *analysis);
	if (ctx->deadline_ms > latest_ms)
		ctx->deadline_ms = latest_ms;
	status = analyse(ctx, mail, analysis);
	ctx->deadline_ms = deadline_ms;
	return status;
}

#include "functions/tester/analysis.h"
#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/lib/mail/client.h"
#include "functions/lib/mail/domain.h"
#include "functions/lib/spf/spf-prefetch.h"
#include "functions/lib/spf/spf-record.h"
#include "functions/tester/display-name.h"
#include "functions/tester/requirements/requirements-judge.h"
#include "runtime/time.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "functions/lib/dkim/claims.h"
#include "functions/lib/dkim/dkim-prefetch.h"
#include "functions/lib/dkim/signature.h"
#include "functions/lib/dns/name.h"
#include "functions/tester/scoring.h"
#include "runtime/log.h"
#include "runtime/mail-store/mailstore.h"

enum {
	SETTLE_MS = 300, /* how long the verification waits for lookups that were started earlier */
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

static rt_status open_message(
	struct rt_ctx *ctx, const char *message_id, size_t bytes_max, struct message *message)
{
	RT_TRY(rt_mailstore_open(ctx, message_id, &message->fd, &message->length));
	if (message->length > bytes_max)
		return rt_fail(ctx, RT_LIMIT, "message-too-large",
			"the message has %zu octets, %zu are accepted at most", message->length,
			bytes_max);
	RT_TRY(map_message(ctx, message));
	eds_header_read(ctx, message->bytes, message->length, &message->header);
	return RT_OK;
}

static const char *from_domain(const struct analysis *analysis)
{
	return analysis->from.state == EDS_FROM_ONE ? analysis->from.domains[0] : NULL;
}

/* The domain of MAIL FROM, or of From when the envelope sender is empty (a bounce). */
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
	eds_mx_prefetch(ctx, dns, sender_domain(ctx, analysis));
	if (analysis->client.is_public)
		eds_dnsbl_prefetch(ctx, dns, &analysis->client.ip);
}

/* The address with its domain in A-labels, the form of names in DNS (RFC 6531 section 3.2). The
 * report shows the address unchanged. */
static const char *for_dns(struct rt_ctx *ctx, const char *address)
{
	const char *at = strrchr(address, '@');
	const char *domain = eds_address_domain(ctx, address);

	if (at == NULL || domain == NULL)
		return address;
	for (const char *c = at; *c != '\0'; c++)
		if ((unsigned char)*c > 127)
			return rt_printf(ctx, "%.*s@%s", (int)(at - address), address, domain);
	return address;
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
		.mail_from = for_dns(ctx, analysis->mail_from),
		.receiver = rt_config()->tester_domain,
		.shape = true,
	};

	if (analysis->client.is_public)
		input.client = analysis->client.ip;
	RT_TRY(eds_verify(ctx, dns, &input, &output));
	analysis->spf = output.spf;
	analysis->spf_helo = output.spf_helo;
	analysis->spf.unjudged = analysis->spf_helo.unjudged = !analysis->client.is_public;
	analysis->dkim = output.dkim;
	analysis->shape = output.shape;
	if (output.crash[0] != '\0')
		rt_log(ctx, RT_LOG_WARNING, "the verifier of a message crashed: %s", output.crash);
	/* A hostile message may take control of the verifier, so its results are checked against
	 * header and DNS. */
	if (!eds_dkim_believe(ctx, dns, &message->header, &analysis->dkim))
		rt_log(ctx, RT_LOG_WARNING,
			"the verifier reported a valid signature that the message does not have");
	return RT_OK;
}

/* A TXT record that is meant as SPF but does not begin with v=spf1; NULL for none. Sends no DNS
 * question: the verification has just asked for the TXT records, which are in the cache. */
static const char *misspelt_spf(
	struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_spf_result *spf)
{
	if (spf->unjudged || spf->code != EDS_SPF_NONE ||
		eds_domain_normalize(ctx, spf->domain, strlen(spf->domain)) == NULL)
		return NULL;
	return eds_spf_misspelt(ctx, eds_dns_get(dns, spf->domain, EDS_DNS_TXT));
}

static void judge(struct rt_ctx *ctx, struct eds_dns *dns, const struct message *message,
	struct analysis *analysis)
{
	const struct eds_header *header = &message->header;
	const struct rt_ip *public_ip = analysis->client.is_public ? &analysis->client.ip : NULL;

	eds_dmarc_evaluate(
		ctx, dns, &analysis->from, &analysis->spf, &analysis->dkim, &analysis->dmarc);
	eds_dmarc_look_for_author(dns, &analysis->from, &analysis->dmarc);
	analysis->spf_misspelt = misspelt_spf(ctx, dns, &analysis->spf);
	spf_tree_build(ctx, &analysis->spf, &analysis->spf_tree);
	ptr_check(ctx, dns, &analysis->client, &analysis->ptr);
	eds_mx_check(ctx, dns, sender_domain(ctx, analysis), &analysis->mx);
	eds_dnsbl_check(ctx, dns, public_ip, analysis->lists);
	headers_check(ctx, header, analysis->received_at_ms, &analysis->headers);
	analysis->display_domain = analysis->from.mailboxes == 1 ? display_name_domain(ctx, header)
								 : NULL;
	eds_form_read(ctx, message->bytes, message->length, header, &analysis->form);
	unsubscribe_check(ctx, header, &analysis->dkim, &analysis->dmarc, from_domain(analysis),
		&analysis->unsubscribe);
}

/* Asks rspamd. The request must contain the confirmed reverse name of the client: if the name is
 * missing, rspamd assumes that the client has no reverse DNS. All lookups are in progress by now,
 * so waiting for this name does not make the analysis longer. */
static struct eds_ask *ask_for_opinion(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct rt_mail_event *mail, const struct message *message,
	const struct analysis *analysis)
{
	char ip[RT_IP_TEXT_MAX];
	struct ptr_result ptr;
	struct opinion_question question = {.client_ip = ip,
		.helo = analysis->client.helo,
		.mail_from = analysis->mail_from,
		.recipients = (const char *const *)mail->recipients,
		.recipient_count = mail->recipient_count,
		.message = message->bytes,
		.length = message->length};

	if (!second_opinion_wanted())
		return NULL;
	ptr_check(ctx, dns, &analysis->client, &ptr);
	question.hostname = ptr.confirmed ? ptr.record : "";
	rt_ip_format(&analysis->client.ip, ip);
	return second_opinion_begin(ctx, &question);
}

static rt_status analyze(struct rt_ctx *ctx, const struct rt_mail_event *mail, size_t bytes_max,
	struct analysis *analysis)
{
	struct message message = {0};
	struct eds_ask *opinion;
	struct eds_dns *dns;

	RT_TRY(open_message(ctx, mail->message_id, bytes_max, &message));
	RT_TRY(eds_dns_open(ctx, &dns));
	/* anybody may run a test, so the answers must not show names of our own network */
	eds_dns_public_only(dns);
	analysis->received_at_ms = mail->received_at_ms;
	analysis->message_bytes = message.length;
	analysis->mail_from = mail->mail_from;
	eds_client_find(ctx, mail, &message.header, rt_config()->tester_domain, &analysis->client);
	eds_from_read(ctx, &message.header, &analysis->from);
	prefetch(ctx, dns, analysis, &message.header);
	/* The verifier process must ask for each DNS answer that is not yet in the cache when it
	 * starts. Waiting here for the answers saves these questions. */
	eds_dns_settle(dns, SETTLE_MS);
	opinion = ask_for_opinion(ctx, dns, mail, &message, analysis);
	RT_TRY(verify(ctx, dns, &message, analysis));
	judge(ctx, dns, &message, analysis);
	scoring_apply(analysis);
	requirements_judge(ctx, analysis, &analysis->requirements);
	outlook_judge(ctx, analysis, &analysis->outlook);
	second_opinion_end(ctx, opinion, &analysis->opinion);
	return RT_OK;
}

/* The analysis gets a deadline of its own, so that time is left to store the result when the
 * sender's DNS is slow. */
rt_status analysis_run(struct rt_ctx *ctx, const struct rt_mail_event *mail, size_t bytes_max,
	struct analysis *analysis)
{
	int64_t deadline_ms = ctx->deadline_ms;
	int64_t latest_ms = rt_monotonic_ms() + ANALYSIS_TIME_MS;
	rt_status status;

	memset(analysis, 0, sizeof *analysis);
	if (ctx->deadline_ms > latest_ms)
		ctx->deadline_ms = latest_ms;
	status = analyze(ctx, mail, bytes_max, analysis);
	ctx->deadline_ms = deadline_ms;
	return status;
}

bool analysis_imitates(const struct analysis *analysis)
{
	const char *shown = analysis->display_domain;

	return shown != NULL && analysis->from.state == EDS_FROM_ONE &&
		!analysis->headers.of_list &&
		!eds_dmarc_is_own(&analysis->dmarc, analysis->from.domains[0], shown) &&
		!eds_dns_name_covers(shown, analysis->from.domains[0]);
}

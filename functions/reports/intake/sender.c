#include "functions/reports/intake/sender.h"
#include "functions/lib/mail/domain.h"
#include "functions/lib/spf/spf-prefetch.h"
#include "runtime/time.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "functions/lib/dkim/claims.h"
#include "functions/lib/dkim/dkim-prefetch.h"
#include "functions/lib/dkim/signature.h"
#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/lib/mail/client.h"
#include "functions/lib/mail/received.h"
#include "functions/lib/sandbox/sandbox.h"
#include "runtime/config/config.h"
#include "runtime/log.h"

enum {
	/* Maximum wait for the answers to the queries that are started in advance. After this time
	 * the verification begins without the missing answers. */
	SETTLE_MS = 300,
	HEADER_BYTES = 320 * 1024, /* more than the longest header that is read */
};

struct judging {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	const struct rt_mail_event *mail;
	int fd;
	size_t bytes;
	struct eds_header header;
	struct eds_client client;
	struct eds_from from;
	struct eds_verify_output output;
	struct eds_dmarc_result dmarc;
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

static rt_status read_header(struct judging *j)
{
	struct mapping *mapping = rt_alloc(j->ctx, sizeof *mapping);

	mapping->length = j->bytes < HEADER_BYTES ? j->bytes : HEADER_BYTES;
	if (mapping->length == 0) {
		eds_header_read(j->ctx, "", 0, &j->header);
		return RT_OK;
	}
	mapping->bytes = mmap(NULL, mapping->length, PROT_READ, MAP_PRIVATE, j->fd, 0);
	if (mapping->bytes == MAP_FAILED)
		return rt_fail(j->ctx, RT_TEMPORARY, "mail-store-failed",
			"the message cannot be mapped: %s", strerror(errno));
	rt_on_release(j->ctx, unmap, mapping);
	eds_header_read(j->ctx, mapping->bytes, mapping->length, &j->header);
	return RT_OK;
}

static const char *author(const struct judging *j)
{
	return j->from.state == EDS_FROM_ONE ? j->from.domains[0] : NULL;
}

static void prefetch(struct judging *j)
{
	const char *envelope = eds_address_domain(j->ctx, j->mail->mail_from);

	if (j->client.is_public && envelope != NULL)
		eds_spf_prefetch(j->ctx, j->dns, envelope);
	eds_dkim_prefetch(j->ctx, j->dns, &j->header);
	if (author(j) != NULL)
		eds_dmarc_prefetch(j->ctx, j->dns, author(j));
	eds_dns_settle(j->dns, SETTLE_MS);
}

static rt_status verify(struct judging *j)
{
	struct eds_verify_input input = {
		.message_fd = j->fd,
		.message_bytes = j->bytes,
		.received_at_ms = j->mail->received_at_ms,
		.helo = j->client.helo,
		.mail_from = j->mail->mail_from,
		.receiver = rt_config()->report_domain,
	};

	if (j->client.is_public)
		input.client = j->client.ip;
	RT_TRY(eds_verify(j->ctx, j->dns, &input, &j->output));
	if (!eds_dkim_believe(j->ctx, j->dns, &j->header, &j->output.dkim))
		rt_log(j->ctx, RT_LOG_WARNING,
			"the verifier reported a valid signature that the report mail does not "
			"have");
	j->output.spf.unjudged = !j->client.is_public;
	eds_dmarc_evaluate(j->ctx, j->dns, &j->from, &j->output.spf, &j->output.dkim, &j->dmarc);
	return RT_OK;
}

/* True if, in the absence of a DMARC record, SPF or DKIM passes for a domain of the author. */
static bool passes_near(struct judging *j)
{
	const struct eds_dkim_result *dkim = &j->output.dkim;

	if (author(j) == NULL || j->dmarc.code != EDS_DMARC_NONE)
		return false;
	if (j->output.spf.code == EDS_SPF_PASS &&
		eds_dmarc_is_own(&j->dmarc, author(j), j->output.spf.domain))
		return true;
	for (size_t i = 0; i < dkim->count; i++)
		if (dkim->signatures[i].state == EDS_DKIM_VALID &&
			eds_dmarc_is_own(&j->dmarc, author(j), dkim->signatures[i].domain))
			return true;
	return false;
}

static const char *dkim_name(const struct eds_dkim_result *dkim)
{
	bool invalid = false;
	bool temporary = false;

	for (size_t i = 0; i < dkim->count; i++) {
		if (dkim->signatures[i].state == EDS_DKIM_VALID)
			return "pass";
		invalid |= dkim->signatures[i].state == EDS_DKIM_INVALID;
		temporary |= dkim->signatures[i].state == EDS_DKIM_TEMPORARY;
	}
	if (invalid)
		return "fail";
	if (temporary)
		return "temperror";
	return dkim->total == 0 ? "none" : "neutral";
}

static rt_status judge(struct judging *j, struct report_sender *sender)
{
	const char *org;

	RT_TRY(read_header(j));
	eds_client_find(j->ctx, j->mail, &j->header, rt_config()->report_domain, &j->client);
	eds_from_read(j->ctx, &j->header, &j->from);
	prefetch(j);
	RT_TRY(verify(j));
	org = j->dmarc.org_domain;
	if (*org == '\0')
		org = author(j) != NULL ? author(j) : "";
	*sender = (struct report_sender){
		.domain = org,
		.proved = j->dmarc.spf_aligned || j->dmarc.dkim_aligned || passes_near(j),
		.undecided = j->dmarc.awaits_dns && j->output.crash[0] == '\0',
		.spf = eds_spf_code_name(j->output.spf.code),
		.dkim = dkim_name(&j->output.dkim),
		.dmarc = eds_dmarc_code_name(j->dmarc.code),
	};
	return RT_OK;
}

bool report_sender_may_wait(const struct rt_mail_event *mail)
{
	return mail->comes_again && rt_wall_ms() - mail->received_at_ms < REPORT_PUT_OFF_MS;
}

rt_status report_sender_judge(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct rt_mail_event *mail, int message_fd, size_t message_bytes,
	struct report_sender *sender)
{
	struct judging *j = rt_alloc(ctx, sizeof *j);
	int64_t deadline_ms = ctx->deadline_ms;
	int64_t latest_ms = rt_monotonic_ms() +
		(report_sender_may_wait(mail) ? REPORT_SENDER_SHORT_MS : REPORT_SENDER_TIME_MS);
	rt_status status;

	*j = (struct judging){
		.ctx = ctx, .dns = dns, .mail = mail, .fd = message_fd, .bytes = message_bytes};
	if (ctx->deadline_ms > latest_ms)
		ctx->deadline_ms = latest_ms;
	status = judge(j, sender);
	ctx->deadline_ms = deadline_ms;
	return status;
}

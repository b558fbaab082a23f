#include <string.h>

#include "functions/lib/sandbox/huge-text.h"
#include "functions/lib/sandbox/protocol-result.h"
#include "functions/lib/sandbox/protocol-shape.h"
#include "functions/lib/sandbox/verifier-warm.h"
#include "functions/lib/sandbox/verifier.h"

static const char message[] =
	"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=warm.example; "
	"s=s1;\r\n\tt=1795175213; "
	"bh=Jngrdxg7iznohNFcU+MxWMhdQcddXveixuGKQcCABhM=;\r\n\th=From:To:Subject:Date:Message-ID;\r\n\tb=ZYPueiBUc1BjElO49yLqN4alV2w1zynCJV80mvyIjGq7KWocrxRSyqzCD1K2scCr6\r\n\t "
	"fMZDg3dLNlfEnGDi7OKIlqF0F7/SkpFMvaMicAMUTCHq8k1DAZ9rRehvzSiKb4vRwY\r\n\t "
	"R2sIxVumLOsmXZr5oiqqJJxgKJ023n8Npaqk3VHadMKGV73OiROh0If/mTFWTTdj3C\r\n\t "
	"x6/BAPNSXUpATMXXmBK0J7sS9exUuzx9mT4OfuDRA3OD1zwC3ObGje0uPsKCmsaExg\r\n\t "
	"F7PUNZ5o/R6Z4Z7wL/0qX386QI69IQqTfu12lJJeGWjoRjPCK2QKl/hB/WXGrn+7P6\r\n\t "
	"4OupPH6de13Rw==\r\nFrom: Warm <warm@warm.example>\r\nTo: you@warm.example\r\nSubject: "
	"warm\r\nDate: Thu, 01 Jan 2026 00:00:00 +0000\r\nMessage-ID: "
	"<1@warm.example>\r\n\r\nThis message of our own is verified once.\r\n";

static const char key[] = "v=DKIM1; k=rsa; p="
			  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArjvC+ZuhMGIgHTfxvvjT4NolQip6"
			  "OV5UvFKfR1wtc4Qk/uXDTJKwkFQOkGTkCTqhtGxU7UhlGVxsKvLvEgf4wiAj26VTmjE3Go+q"
			  "PovjGzMBJD3A5rUBEZlOrHhfs7w9CPOCc71BDaszT09Qa0eoSq1x2rGvw9R6+h2y5eey3awM"
			  "ZR5dm+kw7seCu/rv+tZGVsyOhagGuBRnZOeK/RDBd7tdOQev5aN5hBMUnaui2laWi/s6slsY"
			  "QeVX2eB0SQcluzogMiXvA0f5GMJaMtaHFKnnTWg31/o5MCdP6Po5xdnkWTDNRzw8uMcXY9jN"
			  "kq8+CnU7fyBqtcoPguWETzFbCwIDAQAB";

static const int64_t signed_at_ms = 1795175213000;

static struct eds_dns_record key_record = {.txt = key, .txt_length = sizeof key - 1};
static struct eds_dns_record spf_record = {.txt = "v=spf1 ip4:192.0.2.0/24 -all",
	.txt_length = sizeof "v=spf1 ip4:192.0.2.0/24 -all" - 1};

static const struct eds_dns_answer *get(void *arg, const char *name, enum eds_dns_type type)
{
	static const struct eds_dns_answer key_answer = {.name = "s1._domainkey.warm.example",
		.type = EDS_DNS_TXT,
		.state = EDS_DNS_FOUND,
		.reason = "",
		.canonical = "s1._domainkey.warm.example",
		.records = &key_record,
		.count = 1};
	static const struct eds_dns_answer spf_answer = {.name = "warm.example",
		.type = EDS_DNS_TXT,
		.state = EDS_DNS_FOUND,
		.reason = "",
		.canonical = "warm.example",
		.records = &spf_record,
		.count = 1};

	(void)arg;
	(void)type;
	return strcmp(name, key_answer.name) == 0 ? &key_answer : &spf_answer;
}

/* Writes the result to a buffer and drops it, so that the code for writing is warm, too. */
static void drop_spf(void *arg, enum eds_frame_kind kind, const struct eds_spf_result *result)
{
	struct rt_buffer out;

	rt_buffer_init(&out, arg, EDS_FRAME_BYTES_MAX);
	eds_put_spf(&out, kind, result);
}

static void drop_dkim(void *arg, const struct eds_dkim_result *result)
{
	struct rt_buffer out;

	rt_buffer_init(&out, arg, EDS_FRAME_BYTES_MAX);
	eds_put_dkim(&out, result);
}

static void drop_shape(void *arg, const struct eds_shape *shape)
{
	struct rt_buffer out;

	rt_buffer_init(&out, arg, EDS_FRAME_BYTES_MAX);
	eds_put_shape(&out, shape);
}

void eds_verifier_warm(void)
{
	struct rt_ctx ctx = {.arena = rt_arena_new(),
		.function = "verifier",
		.request_id = "",
		.deadline_ms = INT64_MAX};
	const struct eds_lookup lookup = {.get = get};
	const struct eds_verifier_report report = {
		.spf = drop_spf, .dkim = drop_dkim, .shape = drop_shape, .arg = &ctx};
	const struct eds_verify_task task = {.stages = EDS_STAGES,
		.received_at_ms = signed_at_ms,
		.deadline_ms = INT64_MAX,
		.client = {.family = AF_INET, .bytes = {192, 0, 2, 1}},
		.helo = "warm.example",
		.mail_from = "warm@warm.example",
		.receiver = "warm.example"};

	/* comes first, so that the warm-up touches the copy of the code in huge pages */
	eds_huge_text();
	eds_verifier_run(&ctx, &lookup, &task, message, sizeof message - 1, &report);
	rt_arena_free(ctx.arena);
}

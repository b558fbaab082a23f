/* A helper program like libexec/eds-report-reader whose children misbehave as the mail says, as if
 * it had taken them over. A child that succeeds with a forbidden act (forbidden-acts.h) crashes; if
 * the act is refused, the child works honestly. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions/lib/reports/report-wire.h"
#include "functions/lib/sandbox/serve.h"
#include "tests/support/forbidden-acts.h"

struct child {
	struct rt_ctx ctx;
	int data;
	const char *mail;
	struct eds_report report;
	struct eds_report_row row;
	struct eds_report_auth auth;
};

static void send_frame(struct child *child, void (*put)(struct rt_buffer *out, struct child *child))
{
	struct rt_buffer out;

	rt_buffer_init(&out, &child->ctx, EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES);
	put(&out, child);
	eds_child_write(child->data, &out);
}

static void put_honest(struct rt_buffer *out, struct child *child)
{
	eds_put_report(out, &child->report, EDS_FAULT_NONE);
}

static void put_done(struct rt_buffer *out, struct child *child)
{
	(void)child;
	eds_put_reports_done(out, false);
}

/* Writes a report frame with an unknown kind, an unknown fault or a wrong sum. */
static void put_unknown_frame(struct rt_buffer *out, struct child *child)
{
	eds_frame_end(out, eds_frame_begin(out, 99));
	(void)child;
}

static void put_huge_frame(struct rt_buffer *out, struct child *child)
{
	(void)child;
	eds_put_u32(out, 0xffffffff);
	eds_put_u32(out, EDS_FRAME_REPORT);
}

static void put_unknown_fault(struct rt_buffer *out, struct child *child)
{
	child->report.fault = "a fault of its own";
	eds_put_report(out, &child->report, EDS_FAULTS);
}

static void put_no_domain(struct rt_buffer *out, struct child *child)
{
	child->report.domain = "";
	put_honest(out, child);
}

static void put_wrong_sum(struct rt_buffer *out, struct child *child)
{
	child->report.messages = 1000;
	put_honest(out, child);
}

static void put_too_many_rows(struct rt_buffer *out, struct child *child)
{
	static struct eds_report_row rows[EDS_REPORT_ROWS_MAX + 1];

	child->report.rows = rows;
	child->report.row_count = EDS_REPORT_ROWS_MAX + 1;
	child->report.records = EDS_REPORT_ROWS_MAX + 1;
	child->report.messages = 0;
	put_honest(out, child);
}

static void put_unknown_auth(struct rt_buffer *out, struct child *child)
{
	child->row.auth = 1;
	put_honest(out, child);
}

static void put_cut_auth(struct rt_buffer *out, struct child *child)
{
	static const struct eds_report_auth_bytes cut = {"\0\0\0\0\4\377", 6};

	child->report.auths = NULL;
	child->report.auth_bytes = &cut;
	put_honest(out, child);
}

static void put_wrong_class(struct rt_buffer *out, struct child *child)
{
	child->report.passed = 2;
	child->report.forwarded = 2;
	put_honest(out, child);
}

static void put_unknown_flaw(struct rt_buffer *out, struct child *child)
{
	child->report.flaw_code = "report-of-its-own";
	child->report.flaw = "a flaw of its own";
	put_honest(out, child);
}

static void put_huge_count(struct rt_buffer *out, struct child *child)
{
	child->report.records = 1ULL << 60;
	put_honest(out, child);
}

static void crash(struct child *child)
{
	*(volatile char *)(uintptr_t)child->mail = 0;
}

static void hang(struct child *child)
{
	char octet;

	while (read(child->data, &octet, 1) >= 0)
		continue;
}

static void send_honest(struct child *child)
{
	send_frame(child, put_honest);
}

static void send_done(struct child *child)
{
	send_frame(child, put_done);
}

static void be_honest(struct child *child)
{
	send_honest(child);
	send_done(child);
}

static void crash_after_a_report(struct child *child)
{
	send_honest(child);
	crash(child);
}

static void leave(struct child *child)
{
	(void)child;
	_exit(0);
}

static void flood(struct child *child)
{
	for (;;)
		send_honest(child);
}

static void eat_memory(struct child *child)
{
	for (;;)
		memset(rt_arena_alloc_raw(child->ctx.arena, 1024 * 1024), 1, 1024 * 1024);
}

static const struct {
	const char *name;
	void (*act)(struct child *child);
} behaviors[] = {
	{"honest", be_honest},
	{"crash", crash},
	{"crash-after-a-report", crash_after_a_report},
	{"leave", leave},
	{"hang", hang},
	{"flood", flood},
	{"eat-memory", eat_memory},
	{"done-without-a-report", send_done},
};

static const struct {
	const char *name;
	void (*put)(struct rt_buffer *out, struct child *child);
} lies[] = {
	{"unknown-frame", put_unknown_frame},
	{"huge-frame", put_huge_frame},
	{"unknown-fault", put_unknown_fault},
	{"no-domain", put_no_domain},
	{"wrong-sum", put_wrong_sum},
	{"too-many-rows", put_too_many_rows},
	{"huge-count", put_huge_count},
	{"unknown-auth", put_unknown_auth},
	{"cut-auth", put_cut_auth},
	{"wrong-class", put_wrong_class},
	{"unknown-flaw", put_unknown_flaw},
};

static void misbehave(int data, const char *mail, size_t length)
{
	struct child child = {.ctx = {.arena = rt_arena_new()},
		.data = data,
		.mail = mail,
		.row = {.messages = 3},
		.auth = {.header_from = "", .envelope_from = "", .envelope_to = ""},
		.report = {.kind = EDS_REPORT_DMARC,
			.domain = "sender.example",
			.records = 1,
			.messages = 3,
			.row_count = 1,
			.auth_count = 1}};

	child.report.rows = &child.row;
	child.report.auths = &child.auth;
	for (size_t i = 0; i < sizeof behaviors / sizeof behaviors[0]; i++)
		if (strlen(behaviors[i].name) == length &&
			memcmp(behaviors[i].name, mail, length) == 0)
			behaviors[i].act(&child);
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
		if (strlen(lies[i].name) == length && memcmp(lies[i].name, mail, length) == 0)
			send_frame(&child, lies[i].put);
	if (!is_act(mail, length))
		return;
	if (act_succeeds(mail, length))
		crash(&child);
	be_honest(&child);
}

static void stay_cold(void)
{
}

int main(int argc, char **argv)
{
	attacked_function = getppid();
	return eds_helper_main(argc, argv, stay_cold, misbehave);
}

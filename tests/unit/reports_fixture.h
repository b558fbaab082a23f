/* Code shared by the tests of the report reader: mails and containers made in memory, read without
 * the sandbox, and the results in the form that a parent gets. */
#ifndef TESTS_REPORTS_FIXTURE_H
#define TESTS_REPORTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>

#include "functions/lib/reports/intake.h"
#include "functions/lib/reports/mime.h"
#include "functions/lib/reports/report-wire.h"

enum {
	MADE_BYTES_MAX = 80 * 1024 * 1024,
};

struct bytes {
	const char *at;
	size_t length;
};

static struct rt_ctx ctx;
static struct eds_report found[EDS_REPORTS_MAX];
static size_t found_count;
static struct eds_intake intake;

/* Passes the results through the frames of the sandbox, so that the tests see them as a function
 * does. */
static void keep_report(void *arg, const struct eds_report *report, enum eds_report_fault fault)
{
	struct rt_buffer out;
	struct eds_wire wire;

	(void)arg;
	rt_buffer_init(&out, &ctx, EDS_FRAME_BYTES_MAX + EDS_FRAME_HEADER_BYTES);
	eds_put_report(&out, report, fault);
	assert_false(out.overflow);
	wire = (struct eds_wire){
		.at = out.bytes + EDS_FRAME_HEADER_BYTES, .end = out.bytes + out.length};
	assert_true(found_count < EDS_REPORTS_MAX);
	assert_true(eds_get_report(&ctx, &wire, &found[found_count++]));
}

static int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	ctx.arena = rt_arena_new();
	found_count = 0;
	eds_mime_init();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

/* Reads a mail and returns its first result; its other results follow in found. */
static inline const struct eds_report *read_bytes(const void *bytes, size_t length)
{
	size_t first = found_count;

	intake = (struct eds_intake){.report = keep_report};
	eds_intake_mail(&intake, bytes, length);
	assert_true(found_count > first);
	return &found[first];
}

static inline const struct eds_report *read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static inline const struct eds_report *read_made(struct bytes made)
{
	return read_bytes(made.at, made.length);
}

static inline void assert_read(const struct eds_report *report)
{
	if (report->fault != NULL)
		fail_msg("%s: %s", report->fault_code, report->fault);
}

static inline void assert_fault(const struct eds_report *report, const char *code)
{
	assert_non_null(report->fault);
	assert_string_equal(report->fault_code, code);
	assert_true(strlen(report->fault) > 10);
}

/* The text repeated count times. */
static inline char *repeated(const char *text, size_t count)
{
	size_t length = strlen(text);
	char *all = rt_arena_alloc_raw(ctx.arena, length * count + 1);

	for (size_t i = 0; i < count; i++)
		memcpy(all + i * length, text, length);
	all[length * count] = '\0';
	return all;
}

#define XML_HEAD                                                                                   \
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feedback><report_metadata>"                  \
	"<org_name>Reporter</org_name><email>r@reporter.example</email><report_id>r-1</report_id>" \
	"<date_range><begin>1767225600</begin><end>1767311999</end></date_range>"                  \
	"</report_metadata><policy_published><domain>sender.example</domain><adkim>r</adkim>"      \
	"<aspf>s</aspf><p>reject</p><sp>none</sp><pct>50</pct></policy_published>"
#define XML_ROW(source, count, dkim)                                                               \
	"<record><row><source_ip>" source "</source_ip><count>" count "</count><policy_evaluated>" \
	"<disposition>none</disposition><dkim>" dkim "</dkim><spf>fail</spf></policy_evaluated>"   \
	"</row>"
#define XML_SIGNATURE(domain, selector, result)                                                    \
	"<auth_results><dkim><domain>" domain "</domain><selector>" selector                       \
	"</selector><result>" result "</result></dkim></auth_results>"
#define XML_RECORD                                                                                 \
	XML_ROW("192.0.2.1", "3", "pass") XML_SIGNATURE("sender.example", "s1", "pass") "</record>"
#define XML_TAIL "</feedback>\n"
#define XML_REPORT XML_HEAD XML_RECORD XML_TAIL

static inline char *made_room(void)
{
	return rt_arena_alloc_raw(ctx.arena, MADE_BYTES_MAX);
}

static inline void write_member(
	struct archive *writer, const char *name, const void *bytes, size_t length)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, (la_int64_t)length);
	assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(writer, bytes, length), (la_ssize_t)length);
	archive_entry_free(entry);
}

static inline struct bytes gzip(const void *bytes, size_t length)
{
	struct archive *writer = archive_write_new();
	char *room = made_room();
	size_t used = 0;

	archive_write_set_format_raw(writer);
	archive_write_add_filter_gzip(writer);
	archive_write_set_bytes_in_last_block(writer, 1);
	assert_int_equal(
		archive_write_open_memory(writer, room, MADE_BYTES_MAX, &used), ARCHIVE_OK);
	write_member(writer, "data", bytes, length);
	archive_write_close(writer);
	archive_write_free(writer);
	return (struct bytes){.at = room, .length = used};
}

/* Makes an archive of members, given as pairs of a name and a text and ended by NULL. */
static inline struct bytes write_members(
	int (*choose)(struct archive *writer), const char *const *members)
{
	struct archive *writer = archive_write_new();
	char *room = made_room();
	size_t used = 0;

	choose(writer);
	archive_write_set_bytes_in_last_block(writer, 1);
	assert_int_equal(
		archive_write_open_memory(writer, room, MADE_BYTES_MAX, &used), ARCHIVE_OK);
	for (; members[0] != NULL; members += 2)
		write_member(writer, members[0], members[1], strlen(members[1]));
	archive_write_close(writer);
	archive_write_free(writer);
	return (struct bytes){.at = room, .length = used};
}
#define MEMBERS(format, ...)                                                                       \
	write_members(archive_write_set_format_##format, (const char *const[]){__VA_ARGS__, NULL})
#define ZIP(...) MEMBERS(zip, __VA_ARGS__)

#endif

/* The shape of a message: its parts, and the hosts of its links. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/sandbox/protocol-shape-read.h"
#include "functions/lib/sandbox/protocol-shape.h"
#include "functions/lib/sandbox/protocol.h"
#include "runtime/text/utf8.h"
#include "tests/unit/newsletter.h"

enum {
	MANY = 60,
};

static struct rt_ctx ctx;

static int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	ctx.arena = rt_arena_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

/* Finds the shape as the child does, and validates it as the parent does. The message ends exactly
 * at the end of its memory, so that a sanitizer sees a read past it. */
static void find_bytes(const char *mail, size_t length, struct eds_shape *shape)
{
	char *copy = malloc(length + 1);
	struct rt_buffer out;
	struct eds_wire wire;
	struct eds_shape found;

	assert_non_null(copy);
	memcpy(copy + 1, mail, length);
	eds_shape_find(&ctx, copy + 1, length, &found);
	free(copy);
	rt_buffer_init(&out, &ctx, EDS_FRAME_BYTES_MAX);
	eds_put_shape(&out, &found);
	wire = (struct eds_wire){
		.at = out.bytes + EDS_FRAME_HEADER_BYTES, .end = out.bytes + out.length};
	assert_true(eds_get_shape(&ctx, &wire, shape));
}

static void find(const char *mail, struct eds_shape *shape)
{
	find_bytes(mail, strlen(mail), shape);
}

static void assert_part(const struct eds_shape_part *part, unsigned level, const char *type,
	const char *file, bool attached, uint64_t bytes)
{
	assert_int_equal(part->level, level);
	assert_string_equal(part->type, type);
	assert_string_equal(part->file, file);
	assert_int_equal(part->attached, attached);
	assert_int_equal(part->bytes, bytes);
}

static void a_newsletter_is_described_part_by_part(void **state)
{
	static const char *const domains[] = {"www.shop.example", "click.shop.example",
		"pixel.tracker.example", "192.0.2.7", "xn--mller-kva.example"};
	struct eds_shape shape;

	(void)state;
	find(NEWSLETTER, &shape);
	assert_string_equal(shape.failure, "");
	assert_int_equal(shape.part_count, 6);
	assert_part(&shape.parts[0], 0, "multipart/mixed", "", false, 0);
	assert_part(&shape.parts[1], 1, "multipart/alternative", "", false, 0);
	assert_part(&shape.parts[2], 2, "text/plain", "", false, 43);
	assert_string_equal(shape.parts[3].type, "text/html");
	assert_part(&shape.parts[4], 1, "application/pdf", "offer.pdf", true, 9);
	assert_part(&shape.parts[5], 1, "image/png", "", false, 3);
	assert_true(shape.parts[1].container);
	assert_true(shape.has_html && shape.has_text && shape.alternative && shape.whole);
	assert_int_equal(shape.attachments, 1);
	assert_int_equal(shape.images, 1);
	assert_int_equal(shape.remote_images, 2);
	assert_int_equal(shape.links, 4);
	assert_int_equal(shape.domain_count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(shape.domains[i], domains[i]);
}

static void html_without_plain_text_beside_it_has_no_alternative(void **state)
{
	static const char *const mails[] = {"Content-Type: text/html\r\n\r\n<p>Hello</p>\r\n",
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\n"
		"Content-Type: text/html\r\n\r\n<p>Hello</p>\r\n--b--\r\n",
		"Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n"
		"Content-Disposition: attachment\r\n\r\nHello\r\n--b\r\n"
		"Content-Type: text/html\r\n\r\n<p>Hello</p>\r\n--b--\r\n"};
	struct eds_shape shape;

	(void)state;
	for (size_t i = 0; i < sizeof mails / sizeof mails[0]; i++) {
		find(mails[i], &shape);
		assert_true(shape.has_html);
		assert_false(shape.alternative);
	}
	find("Subject: x\r\n\r\nHello\r\n", &shape);
	assert_true(shape.has_text);
	assert_false(shape.has_html);
	assert_int_equal(shape.part_count, 1);
	assert_string_equal(shape.parts[0].type, "text/plain");
}

static void an_attached_mail_is_listed_with_its_own_parts(void **state)
{
	struct eds_shape shape;

	(void)state;
	find("Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nhttp://inner.example\r\n",
		&shape);
	assert_int_equal(shape.part_count, 2);
	assert_part(&shape.parts[0], 0, "message/rfc822", "", false, 0);
	assert_true(shape.parts[0].container);
	assert_part(&shape.parts[1], 1, "text/plain", "", false, 22);
	assert_string_equal(shape.domains[0], "inner.example");
}

static void only_web_addresses_count_as_links(void **state)
{
	struct eds_shape shape;

	(void)state;
	find("\r\nhttp:// https://- shttp://a.example ftp://b.example http:/c.example\r\n"
	     "xhttps://d.example http://[::1 http://@ http://e_.. HTTP://ok.example.)\r\n",
		&shape);
	assert_int_equal(shape.domain_count, 2);
	assert_string_equal(shape.domains[0], "e_");
	assert_string_equal(shape.domains[1], "ok.example");
	find("\r\nhttp://. http://..:80/ http://a@./\r\n", &shape);
	assert_int_equal(shape.links, 0);
	find("\r\nhttp://[2001:DB8::1]:80/ http://192.0.2.1/\r\n", &shape);
	assert_string_equal(shape.domains[0], "2001:db8::1");
	assert_string_equal(shape.domains[1], "192.0.2.1");
}

/* 253 octets, the maximum in DNS. */
static void a_host_longer_than_253_octets_is_ignored(void **state)
{
	static char host[255];
	struct eds_shape shape;

	(void)state;
	memset(host, 'a', sizeof host - 1);
	for (size_t at = 60; at < 253; at += 61)
		host[at] = '.';
	find(rt_printf(&ctx, "\r\nhttp://%s/ http://%.253s./ http://%.252s/\r\n", host, host, host),
		&shape);
	assert_int_equal(shape.domain_count, 2);
	assert_int_equal(strlen(shape.domains[0]), 253);
	assert_int_equal(strlen(shape.domains[1]), 252);
}

static void many_parts_and_hosts_are_counted_and_not_all_shown(void **state)
{
	struct rt_buffer mail;
	struct eds_shape shape;

	(void)state;
	rt_buffer_init(&mail, &ctx, 64 * 1024);
	rt_buffer_text(&mail, "Content-Type: multipart/mixed; boundary=b\r\n\r\n");
	for (int i = 0; i < MANY; i++)
		rt_buffer_format(&mail, "--b\r\n\r\nhttp://h%d.example\r\n", i);
	rt_buffer_text(&mail, "--b--\r\n");
	find(mail.bytes, &shape);
	assert_int_equal(shape.part_count, 50);
	assert_int_equal(shape.other_parts, MANY + 1 - 50);
	assert_int_equal(shape.links, MANY);
	assert_int_equal(shape.domain_count, 30);
	assert_true(shape.more_domains);
}

static void text_past_the_limit_is_reported_as_not_searched(void **state)
{
	struct rt_buffer mail;
	struct eds_shape shape;

	(void)state;
	rt_buffer_init(&mail, &ctx, 2 * 1024 * 1024);
	rt_buffer_text(&mail, "\r\nhttp://first.example\r\n");
	while (mail.length < 600 * 1024)
		rt_buffer_text(
			&mail, "a line of sixty-four octets, again and again and once more ..\r\n");
	rt_buffer_text(&mail, "http://last.example\r\n");
	find(mail.bytes, &shape);
	assert_false(shape.whole);
	assert_int_equal(shape.domain_count, 1);
	assert_int_equal(shape.parts[0].bytes, mail.length - 2);
}

static void a_message_past_the_limits_has_no_shape(void **state)
{
	struct rt_buffer mail;
	struct eds_shape shape;

	(void)state;
	rt_buffer_init(&mail, &ctx, 64 * 1024);
	rt_buffer_text(&mail, "Content-Type: multipart/mixed; boundary=b\r\n\r\n");
	for (int i = 0; i < 1000; i++)
		rt_buffer_text(&mail, "--b\r\n\r\n");
	find(mail.bytes, &shape);
	assert_non_null(strstr(shape.failure, "more parts"));
	assert_int_equal(shape.part_count, 0);
}

static void hostile_names_stay_plain_text(void **state)
{
	struct eds_shape shape;

	(void)state;
	find("Content-Type: application/x; name=\"<script>\xff.pdf\"\r\n\r\nx\r\n", &shape);
	assert_memory_equal(shape.parts[0].file, "<script>", strlen("<script>"));
	for (const char *c = shape.parts[0].file; *c != '\0'; c += rt_utf8_length(c, strlen(c)))
		assert_true(rt_utf8_length(c, strlen(c)) > 0);
	assert_true(strlen(shape.parts[0].type) <= 100);
}

/* Text before the first boundary and after the last one is for programs without MIME. */
static void text_before_and_after_the_parts_is_not_a_part(void **state)
{
	struct eds_shape shape;

	(void)state;
	find("Content-Type: multipart/mixed; boundary=\"a b\"\r\n\r\n"
	     "http://before.example --a b\r\n--a bc\r\n"
	     "--a b \t\r\n\r\nhttp://first.example\r\n--a b\r\n\r\nhttp://second.example"
	     "\r\n--a b--\r\nhttp://behind.example\r\n",
		&shape);
	assert_int_equal(shape.part_count, 3);
	assert_int_equal(shape.domain_count, 2);
	assert_string_equal(shape.domains[0], "first.example");
	assert_string_equal(shape.domains[1], "second.example");
}

/* If a sender forgets to close a part, the next boundary of the enclosing part ends it. */
static void an_unclosed_inner_multipart_ends_with_the_outer_one(void **state)
{
	static const char mail[] =
		"Content-Type: multipart/mixed; boundary=outer\n\n--outer\n"
		"Content-Type: multipart/alternative; boundary=outer-inner\n\n"
		"--outer-inner\n\ntext\n--outer-inner\nContent-Type: text/html\n\n<p>\n"
		"--outer\nContent-Type: image/gif\n\ngif\n--outer--\n--outer-inner\n\nlate\n";
	struct eds_shape shape;

	(void)state;
	find(mail, &shape);
	assert_int_equal(shape.part_count, 5);
	assert_part(&shape.parts[2], 2, "text/plain", "", false, 4);
	assert_part(&shape.parts[3], 2, "text/html", "", false, 3);
	assert_part(&shape.parts[4], 1, "image/gif", "", false, 3);
	assert_true(shape.alternative);
}

/* If a message is cut off, the parts before the cut are still reported. */
static void a_message_cut_at_any_octet_is_read(void **state)
{
	struct eds_shape shape;

	(void)state;
	for (size_t length = 0; length <= strlen(NEWSLETTER); length++) {
		find_bytes(NEWSLETTER, length, &shape);
		assert_string_equal(shape.failure, "");
		/* a closing boundary that is cut off looks like one that begins a part */
		assert_in_range(shape.part_count, 1, 7);
	}
	assert_int_equal(shape.part_count, 6);
}

static void the_parts_of_a_digest_are_messages(void **state)
{
	struct eds_shape shape;

	(void)state;
	find("Content-Type: multipart/digest; boundary=d\r\n\r\n"
	     "--d\r\n\r\nSubject: one\r\n\r\none\r\n"
	     "--d\r\nContent-Type: text/plain\r\n\r\nno message\r\n--d--\r\n",
		&shape);
	assert_int_equal(shape.part_count, 4);
	assert_part(&shape.parts[1], 1, "message/rfc822", "", false, 0);
	assert_part(&shape.parts[2], 2, "text/plain", "", false, 3);
	assert_part(&shape.parts[3], 1, "text/plain", "", false, 10);
}

/* RFC 2046 section 5.2.1 forbids base64 for an attached message, so the part is treated like any
 * other file. */
static void an_attached_message_in_base64_is_not_examined(void **state)
{
	struct eds_shape shape;

	(void)state;
	find("Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n"
	     "U3ViamVjdDogeA==\r\n",
		&shape);
	assert_int_equal(shape.part_count, 1);
	assert_part(&shape.parts[0], 0, "message/rfc822", "", false, 10);
	assert_false(shape.parts[0].container);
}

static void a_malformed_content_type_means_plain_text(void **state)
{
	static const char *const types[] = {
		"", ";", "text", "/", "text/", "=?utf-8?Q?a?=", "(text/html)", "\"text/html\""};
	struct eds_shape shape;

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		find(rt_printf(&ctx, "Content-Type: %s\r\n\r\nx", types[i]), &shape);
		assert_string_equal(shape.parts[0].type, "text/plain");
		assert_true(shape.has_text);
	}
	find("Content-Type: (a \\) comment) text / (and (another)) html (\r\n\r\nx", &shape);
	assert_string_equal(shape.parts[0].type, "text/html");
}

/* File names as programs write them, and in the forms of RFC 2183, 2231 and 2047. */
static void file_names_are_read_in_every_encoding(void **state)
{
	static const struct {
		const char *field;
		const char *file;
	} names[] = {
		{"Content-Disposition: inline; filename=plain.txt", "plain.txt"},
		{"Content-Disposition: inline; FileName = \"a \\\"b\\\".txt\"", "a \"b\".txt"},
		{"Content-Disposition: inline; filename=two words.txt ; size=1", "two words.txt"},
		{"Content-Disposition: inline;\r\n filename=\"folded\r\n name.txt\"",
			"folded name.txt"},
		{"Content-Disposition: inline; filename*=utf-8'de'M%C3%BCller%2etxt",
			"M\xc3\xbcller.txt"},
		{"Content-Disposition: inline; filename*1*=%C3%A4rz; filename*0=\"M\"; "
		 "filename*2=.txt; filename*4=lost",
			"M\xc3\xa4rz.txt"},
		{"Content-Disposition: inline; filename*0*=utf-8''%41; filename*1=%42", "A%42"},
		{"Content-Disposition: inline; filename*x=a; filename*0y=b; filename*99=c", ""},
		{"Content-Disposition: inline; filename*=%00%zz%4", "%zz%4"},
		{"Content-Disposition: inline; filename*=utf-8''new; filename=old", "new"},
		{"Content-Type: image/png; name=\"=?utf-8?B?w6QuZ2lm?=\"", "\xc3\xa4.gif"},
		{"Content-Type: image/png; name=\"=?utf-8?Q?a_b=C3=A4?= =?utf-8?q?c?= .gif\"",
			"a b\xc3\xa4\x63 .gif"},
		{"Content-Type: image/png; name=\"=?utf-8?X?a?= =?utf-8?B\"",
			"=?utf-8?X?a?= =?utf-8?B"},
		{"Content-Type: image/png; name=a\r\nContent-Disposition: inline; filename=b", "b"},
		{"Content-Type: image/png; nam=x; xname=y; ; =z; name", ""},
		{"Content-Type: image/png; name=\"never closed", "never closed"},
	};
	struct eds_shape shape;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		find(rt_printf(&ctx, "%s\r\n\r\nx", names[i].field), &shape);
		assert_string_equal(shape.parts[0].file, names[i].file);
	}
}

static void contents_are_measured_after_decoding(void **state)
{
	static const struct {
		const char *encoding;
		const char *body;
		size_t bytes;
	} bodies[] = {
		{"base64", "aGFsbG8=", 5},
		{"BASE64", "aG Fs\r\nbG8\r\n=\r\n", 5},
		{"base64", "", 0},
		{"base64", "a", 0},
		{"quoted-printable", "=61=\r\n=6=zz= \t\nend=", 10},
		{"quoted-printable", "=", 1},
		{"8bit", "h\xc3\xa4llo", 6},
		{"x-unknown", "=41", 3},
	};
	struct eds_shape shape;

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		find(rt_printf(&ctx,
			     "Content-Type: application/x\r\n"
			     "Content-Transfer-Encoding: %s\r\n\r\n%s",
			     bodies[i].encoding, bodies[i].body),
			&shape);
		assert_int_equal(shape.parts[0].bytes, bodies[i].bytes);
	}
	find("Content-Transfer-Encoding: base64\r\n\r\n"
	     "aHR0cDovL2hpZGRlbi5leGFt\r\ncGxlLw==\r\n",
		&shape);
	assert_string_equal(shape.domains[0], "hidden.example");
}

static void long_contents_are_measured_to_the_octet(void **state)
{
	struct rt_buffer mail;
	struct eds_shape shape;

	(void)state;
	rt_buffer_init(&mail, &ctx, 2 * 1024 * 1024);
	rt_buffer_text(
		&mail, "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n");
	for (int i = 0; i < 10000; i++)
		rt_buffer_text(&mail,
			"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAx"
			"\r\n");
	rt_buffer_text(&mail, "QQ==\r\n");
	find(mail.bytes, &shape);
	assert_int_equal(shape.parts[0].bytes, 540001);
}

static void nesting_past_the_limit_has_no_shape(void **state)
{
	struct rt_buffer mail;
	struct eds_shape shape;

	(void)state;
	rt_buffer_init(&mail, &ctx, 64 * 1024);
	for (int i = 0; i < 64; i++)
		rt_buffer_text(&mail, "Content-Type: message/rfc822\r\n\r\n");
	find(mail.bytes, &shape);
	assert_string_equal(shape.failure, "");
	assert_int_equal(shape.other_parts, 65 - 50);
	rt_buffer_text(&mail, "Content-Type: message/rfc822\r\n\r\n");
	find(mail.bytes, &shape);
	assert_non_null(strstr(shape.failure, "more parts"));
	assert_int_equal(shape.part_count, 0);
}

static void a_count_past_its_maximum_is_refused(void **state)
{
	static struct eds_shape shape;
	struct rt_buffer out;
	struct eds_wire wire;
	uint32_t parts = EDS_SHAPE_PARTS_MAX + 1;

	(void)state;
	shape.failure = "";
	rt_buffer_init(&out, &ctx, EDS_FRAME_BYTES_MAX);
	eds_put_shape(&out, &shape);
	memcpy(out.bytes + EDS_FRAME_HEADER_BYTES + sizeof(uint32_t), &parts, sizeof parts);
	wire = (struct eds_wire){
		.at = out.bytes + EDS_FRAME_HEADER_BYTES, .end = out.bytes + out.length};
	assert_false(eds_get_shape(&ctx, &wire, &shape));
}

#define STORY(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(a_newsletter_is_described_part_by_part),
		STORY(html_without_plain_text_beside_it_has_no_alternative),
		STORY(an_attached_mail_is_listed_with_its_own_parts),
		STORY(only_web_addresses_count_as_links),
		STORY(a_host_longer_than_253_octets_is_ignored),
		STORY(many_parts_and_hosts_are_counted_and_not_all_shown),
		STORY(text_past_the_limit_is_reported_as_not_searched),
		STORY(a_message_past_the_limits_has_no_shape),
		STORY(hostile_names_stay_plain_text),
		STORY(text_before_and_after_the_parts_is_not_a_part),
		STORY(an_unclosed_inner_multipart_ends_with_the_outer_one),
		STORY(a_message_cut_at_any_octet_is_read),
		STORY(the_parts_of_a_digest_are_messages),
		STORY(an_attached_message_in_base64_is_not_examined),
		STORY(a_malformed_content_type_means_plain_text),
		STORY(file_names_are_read_in_every_encoding),
		STORY(contents_are_measured_after_decoding),
		STORY(long_contents_are_measured_to_the_octet),
		STORY(nesting_past_the_limit_has_no_shape),
		STORY(a_count_past_its_maximum_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

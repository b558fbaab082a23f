/* Mail that failed: it is read back as it was received. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/dispatch/dispatch-failed-load.h"
#include "local/dispatch/dispatch-failed.h"
#include "runtime/ctx.h"

#define MESSAGE "Subject: x\r\n\r\nbody\r\n"

struct fixture {
	char path[64];
	int folder;
	struct rt_ctx ctx;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);

	snprintf(fixture->path, sizeof fixture->path, "/tmp/eds-failed-XXXXXX");
	assert_non_null(mkdtemp(fixture->path));
	fixture->folder = open(fixture->path, O_RDONLY | O_DIRECTORY);
	fixture->ctx.arena = rt_arena_new();
	fixture->ctx.function = "test";
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	unlinkat(fixture->folder, "failed/id-1.json", 0);
	unlinkat(fixture->folder, "failed/id-1.eml", 0);
	unlinkat(fixture->folder, "failed", AT_REMOVEDIR);
	close(fixture->folder);
	assert_int_equal(rmdir(fixture->path), 0);
	rt_arena_free(fixture->ctx.arena);
	free(fixture);
	return 0;
}

static void keep(struct fixture *fixture)
{
	const char *recipients[] = {"a@b.example", "\"c\\d\"@e.example"};
	struct spool_target target = {"keep", "id-1", recipients, 2};
	struct spool_mail mail = {.received_at_ms = 1700000000000,
		.client_ip = "2001:db8::1",
		.helo = "h.example",
		.mail_from = "f@g.example",
		.tls = "TLSv1.3 with X",
		.protocol = "UTF8SMTPS",
		.targets = &target,
		.target_count = 1,
		.message = MESSAGE,
		.length = strlen(MESSAGE)};

	assert_int_equal(
		failed_keep(&fixture->ctx, fixture->folder, &mail, &target, "not \"now\""), RT_OK);
}

/* Overwrites a file of the folder. */
static void put(const struct fixture *fixture, const char *name, const char *text)
{
	int fd = openat(fixture->folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void assert_fails(struct fixture *fixture, const char *id, rt_status status)
{
	struct failed_mail failed;

	assert_int_equal(failed_load(&fixture->ctx, fixture->folder, id, &failed), status);
	rt_fail_clear(&fixture->ctx);
}

static void failed_mail_is_read_back_with_its_whole_envelope(void **state)
{
	struct fixture *fixture = *state;
	struct failed_mail failed;

	keep(fixture);
	assert_int_equal(failed_load(&fixture->ctx, fixture->folder, "id-1", &failed), RT_OK);
	assert_string_equal(failed.reason, "not \"now\"");
	assert_int_equal(failed.mail.received_at_ms, 1700000000000);
	assert_string_equal(failed.mail.client_ip, "2001:db8::1");
	assert_string_equal(failed.mail.helo, "h.example");
	assert_string_equal(failed.mail.mail_from, "f@g.example");
	assert_string_equal(failed.mail.tls, "TLSv1.3 with X");
	assert_string_equal(failed.mail.protocol, "UTF8SMTPS");
	assert_int_equal(failed.mail.length, strlen(MESSAGE));
	assert_memory_equal(failed.mail.message, MESSAGE, strlen(MESSAGE));
	assert_ptr_equal(failed.mail.targets, &failed.target);
	assert_int_equal(failed.mail.target_count, 1);
	assert_string_equal(failed.target.function, "keep");
	assert_string_equal(failed.target.message_id, "id-1");
	assert_int_equal(failed.target.recipient_count, 2);
	assert_string_equal(failed.target.recipients[0], "a@b.example");
	assert_string_equal(failed.target.recipients[1], "\"c\\d\"@e.example");
}

static void only_the_received_field_of_this_server_is_taken_off(void **state)
{
	static const char other[] = "Received: by another\r\n" MESSAGE;
	struct fixture *fixture = *state;
	struct failed_mail failed;

	keep(fixture);
	put(fixture, "failed/id-1.eml", other);
	assert_int_equal(failed_load(&fixture->ctx, fixture->folder, "id-1", &failed), RT_OK);
	assert_int_equal(failed.mail.length, strlen(other));
	assert_memory_equal(failed.mail.message, other, strlen(other));
}

static void mail_that_is_missing_or_damaged_is_an_error(void **state)
{
	static const char *const damaged[] = {"", "{", "{\"receivedAt\":\"soon\"}", "{}"};
	struct fixture *fixture = *state;

	keep(fixture);
	for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
		struct failed_mail failed;

		put(fixture, "failed/id-1.json", damaged[i]);
		assert_int_not_equal(
			failed_load(&fixture->ctx, fixture->folder, "id-1", &failed), RT_OK);
		rt_fail_clear(&fixture->ctx);
	}
	keep(fixture);
	unlinkat(fixture->folder, "failed/id-1.eml", 0);
	assert_fails(fixture, "id-1", RT_NOT_FOUND);
	assert_fails(fixture, "id-2", RT_NOT_FOUND);
}

static void an_id_names_no_file_elsewhere(void **state)
{
	static const char *const ids[] = {"", ".", "..", ".id-1", "../failed/id-1", "x/id-1"};
	struct fixture *fixture = *state;

	keep(fixture);
	mkdirat(fixture->folder, "failed/x", 0700);
	put(fixture, "failed/x/id-1.json", "{}");
	put(fixture, "failed/.id-1.json", "{}");
	put(fixture, "failed/.json", "{}");
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		assert_fails(fixture, ids[i], RT_NOT_FOUND);
		assert_int_equal(failed_drop(&fixture->ctx, fixture->folder, ids[i]), RT_NOT_FOUND);
		rt_fail_clear(&fixture->ctx);
	}
	assert_int_equal(unlinkat(fixture->folder, "failed/x/id-1.json", 0), 0);
	assert_int_equal(unlinkat(fixture->folder, "failed/.id-1.json", 0), 0);
	assert_int_equal(unlinkat(fixture->folder, "failed/.json", 0), 0);
	assert_int_equal(unlinkat(fixture->folder, "failed/x", AT_REMOVEDIR), 0);
}

static void dropped_mail_is_gone_with_its_report(void **state)
{
	struct fixture *fixture = *state;

	keep(fixture);
	assert_int_equal(failed_drop(&fixture->ctx, fixture->folder, "id-1"), RT_OK);
	assert_int_equal(faccessat(fixture->folder, "failed/id-1.json", F_OK, 0), -1);
	assert_int_equal(faccessat(fixture->folder, "failed/id-1.eml", F_OK, 0), -1);
	assert_int_equal(failed_drop(&fixture->ctx, fixture->folder, "id-1"), RT_NOT_FOUND);
	rt_fail_clear(&fixture->ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define FAILED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		FAILED(failed_mail_is_read_back_with_its_whole_envelope),
		FAILED(only_the_received_field_of_this_server_is_taken_off),
		FAILED(mail_that_is_missing_or_damaged_is_an_error),
		FAILED(an_id_names_no_file_elsewhere),
		FAILED(dropped_mail_is_gone_with_its_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

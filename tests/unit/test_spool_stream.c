/* Large messages, written to the spool while they are received. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/spool/spool-replay.h"
#include "local/spool/spool-stream.h"
#include "tests/unit/temp_folder.h"

enum {
	PIECE_BYTES = 300000,
	LEFT_MAX = 8,
};

struct fixture {
	char folder[TEMP_FOLDER_BYTES];
	struct event_base *base;
	struct spool *spool;
	int written;
	int answers;
	struct spool_place place; /* the place of the last stored message */
	int last_error;
	struct spool_place left[LEFT_MAX];
	int left_count;
};

static void open_spool(struct fixture *fixture)
{
	char error[SPOOL_ERROR_MAX];

	fixture->spool = spool_open(fixture->base, fixture->folder, error);
	if (fixture->spool == NULL)
		fail_msg("%s", error);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);

	assert_true(make_temp_folder(fixture->folder, "eds-stream"));
	fixture->base = event_base_new();
	open_spool(fixture);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	char command[128];

	if (fixture->spool != NULL)
		spool_close(fixture->spool);
	event_base_free(fixture->base);
	snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

static const char *recipients[] = {"a@x.example"};
static struct spool_target targets[] = {
	{"tester", "id-tester", recipients, 1},
	{"reports", "id-reports", recipients, 1},
};

static struct spool_mail mail_of(int64_t received_at_ms, const char *message, size_t length)
{
	return (struct spool_mail){
		.received_at_ms = received_at_ms,
		.client_ip = "192.0.2.1",
		.helo = "h.example",
		.mail_from = "s@x.example",
		.tls = "",
		.protocol = "ESMTP",
		.targets = targets,
		.target_count = 2,
		.message = message,
		.length = length,
	};
}

static void on_written(void *arg, int error)
{
	struct fixture *fixture = arg;

	fixture->written++;
	fixture->last_error = error;
}

static void on_stored(void *arg, const struct spool_place *place, int error)
{
	struct fixture *fixture = arg;

	fixture->answers++;
	fixture->last_error = error;
	if (place != NULL)
		fixture->place = *place;
}

static char *piece_of(char c)
{
	char *piece = malloc(PIECE_BYTES);

	memset(piece, c, PIECE_BYTES);
	return piece;
}

static struct spool_stream *begin(struct fixture *fixture)
{
	const struct spool_mail mail = mail_of(1700000000000, NULL, 0);
	struct spool_stream *stream = spool_stream_new(fixture->spool, &mail);

	assert_non_null(stream);
	return stream;
}

static void write_pieces(struct fixture *fixture, struct spool_stream *stream, int count)
{
	for (int i = 0; i < count; i++) {
		int before = fixture->written;

		spool_stream_write(
			stream, piece_of((char)('a' + i)), PIECE_BYTES, on_written, fixture);
		while (fixture->written == before)
			event_base_loop(fixture->base, EVLOOP_ONCE);
		assert_int_equal(fixture->last_error, 0);
	}
}

static void finish(struct fixture *fixture, struct spool_stream *stream)
{
	const struct spool_mail mail = mail_of(1700000099999, "the end\r\n", 9);
	int before = fixture->answers;

	spool_stream_finish(stream, &mail, on_stored, fixture);
	while (fixture->answers == before)
		event_base_loop(fixture->base, EVLOOP_ONCE);
}

static void on_left(void *arg, const struct spool_place *place, const struct spool_mail *mail)
{
	struct fixture *fixture = arg;

	assert_int_equal(mail->received_at_ms, 1700000099999);
	assert_true(fixture->left_count < LEFT_MAX);
	fixture->left[fixture->left_count++] = *place;
}

/* The number of segment files. */
static int files(const struct fixture *fixture)
{
	DIR *folder = opendir(fixture->folder);
	int count = 0;

	for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
		count += strstr(entry->d_name, ".mail") != NULL;
	closedir(folder);
	return count;
}

static void await_files(const struct fixture *fixture, int count)
{
	for (int i = 0; i < 5000 && files(fixture) != count; i++)
		usleep(1000);
	assert_int_equal(files(fixture), count);
}

static void assert_is_whole(struct fixture *fixture, int pieces)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct spool_mail mail;

	assert_int_equal(spool_read(&ctx, fixture->spool, &fixture->place, &mail), RT_OK);
	assert_int_equal(mail.length, pieces * PIECE_BYTES + 9);
	for (int i = 0; i < pieces * PIECE_BYTES; i++)
		if (mail.message[i] != 'a' + i / PIECE_BYTES)
			fail_msg("octet %d is %c", i, mail.message[i]);
	assert_memory_equal(mail.message + pieces * PIECE_BYTES, "the end\r\n", 9);
	assert_int_equal(mail.received_at_ms, 1700000099999);
	assert_string_equal(mail.mail_from, "s@x.example");
	assert_string_equal(mail.targets[1].message_id, "id-reports");
	rt_arena_free(ctx.arena);
}

static void a_message_in_pieces_is_read_back_whole_and_deleted_when_done(void **state)
{
	struct fixture *fixture = *state;
	struct spool_stream *stream = begin(fixture);

	write_pieces(fixture, stream, 3);
	assert_true(spool_bytes(fixture->spool) >= 3 * PIECE_BYTES);
	finish(fixture, stream);
	assert_int_equal(fixture->last_error, 0);
	assert_is_whole(fixture, 3);
	assert_int_equal(files(fixture), 1);
	spool_done(fixture->spool, &fixture->place);
	assert_int_equal(files(fixture), 1);
	fixture->place.target = 1;
	spool_done(fixture->spool, &fixture->place);
	await_files(fixture, 0);
	assert_int_equal(spool_bytes(fixture->spool), 0);
}

static void acknowledged_mail_is_found_after_a_restart(void **state)
{
	struct fixture *fixture = *state;
	struct spool_stream *stream = begin(fixture);

	write_pieces(fixture, stream, 2);
	finish(fixture, stream);
	spool_close(fixture->spool);
	open_spool(fixture);
	assert_int_equal(spool_replay(fixture->spool, on_left, fixture), 0);
	assert_int_equal(fixture->left_count, 2);
	fixture->place = fixture->left[0];
	assert_is_whole(fixture, 2);
}

static void an_unfinished_message_is_gone_after_a_kill(void **state)
{
	struct fixture *fixture = *state;
	struct spool_stream *stream = begin(fixture);
	char command[256];

	write_pieces(fixture, stream, 2);
	snprintf(command, sizeof command, "mkdir %s.copy && cp %s/*.mail %s.copy", fixture->folder,
		fixture->folder, fixture->folder);
	assert_int_equal(system(command), 0);
	spool_stream_drop(stream);
	spool_close(fixture->spool);
	snprintf(command, sizeof command, "rm -rf %s && mv %s.copy %s", fixture->folder,
		fixture->folder, fixture->folder);
	assert_int_equal(system(command), 0);
	open_spool(fixture);
	assert_true(spool_replay(fixture->spool, on_left, fixture) > 2 * PIECE_BYTES);
	assert_int_equal(fixture->left_count, 0);
	await_files(fixture, 0);
}

static void a_message_that_breaks_off_leaves_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct spool_stream *stream = begin(fixture);

	write_pieces(fixture, stream, 2);
	spool_stream_drop(stream);
	await_files(fixture, 0);

	stream = begin(fixture); /* the same while the thread writes a piece */
	spool_stream_write(stream, piece_of('x'), PIECE_BYTES, on_written, fixture);
	spool_stream_drop(stream);
	while (spool_bytes(fixture->spool) > 0)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	await_files(fixture, 0);
	assert_int_equal(fixture->written, 2);
}

static void an_altered_message_is_not_handed_out(void **state)
{
	struct fixture *fixture = *state;
	struct spool_stream *stream = begin(fixture);
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct spool_mail mail;
	char command[200];

	write_pieces(fixture, stream, 1);
	finish(fixture, stream);
	snprintf(command, sizeof command,
		"printf '!' | dd of=%s/00000000000000000001.mail bs=1 seek=1000 conv=notrunc 2>/dev/null",
		fixture->folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(spool_read(&ctx, fixture->spool, &fixture->place, &mail), RT_INTERNAL);
	rt_arena_free(ctx.arena);
}

#define STREAM(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STREAM(a_message_in_pieces_is_read_back_whole_and_deleted_when_done),
		STREAM(acknowledged_mail_is_found_after_a_restart),
		STREAM(an_unfinished_message_is_gone_after_a_kill),
		STREAM(a_message_that_breaks_off_leaves_nothing),
		STREAM(an_altered_message_is_not_handed_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The spool: after a crash it has exactly the acknowledged mail. */
#include "tests/unit/spool_fixture.h"

#include "local/spool/spool-record.h"
#include "local/spool/spool.h"

static void a_stored_message_is_read_back_as_it_was(void **state)
{
	struct fixture *fixture = *state;
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct spool_mail mail;

	append_text(fixture, "one\r\n\0two", 9);
	/* a message is not reported as stored before it is synced */
	assert_int_equal(fixture->stored, 0);
	run_until(fixture, 1);
	assert_int_equal(spool_read(&ctx, fixture->spool, &fixture->places[0], &mail), RT_OK);
	assert_int_equal(mail.length, 9);
	assert_memory_equal(mail.message, "one\r\n\0two", 9);
	assert_int_equal(mail.received_at_ms, 1700000000123);
	assert_string_equal(mail.client_ip, "192.0.2.1");
	assert_string_equal(mail.helo, "h.example");
	assert_string_equal(mail.mail_from, "");
	assert_string_equal(mail.tls, "TLSv1.3 X");
	assert_string_equal(mail.protocol, "ESMTPS");
	assert_int_equal(mail.target_count, 2);
	assert_string_equal(mail.targets[0].recipients[1], "b@x.example");
	assert_string_equal(mail.targets[1].message_id, "id-reports");
	rt_arena_free(ctx.arena);
}

static void acknowledged_mail_is_found_after_a_kill_once_per_target(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 5; i++)
		append_text(fixture, "text", 4);
	run_until(fixture, 5);
	assert_int_equal(reopen_as_after_a_kill(fixture), 0);
	assert_int_equal(fixture->left_count, 10);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(fixture->left[i].offset, fixture->places[i / 2].offset);
		assert_int_equal(fixture->left[i].target, i % 2);
	}
}

static void mail_that_is_done_is_not_sent_again(void **state)
{
	struct fixture *fixture = *state;
	struct spool_place place;

	append_text(fixture, "text", 4);
	append_text(fixture, "text", 4);
	run_until(fixture, 2);
	place = fixture->places[0];
	place.target = 1;
	spool_done(fixture->spool, &place);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(fixture->left_count, 3);
	for (int i = 0; i < 3; i++)
		spool_done(fixture->spool, &fixture->left[i]);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(fixture->left_count, 0);
}

/* A file of marks (which mail of a segment is deleted) is left from an old segment whose number the
 * next segment gets. */
static void marks_left_by_a_deleted_segment_do_not_count_for_the_next(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	char command[300];

	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	spool_done(fixture->spool, &fixture->places[0]);
	file_path(fixture, "00000000000000000001.done", path);
	snprintf(command, sizeof command, "cp %s %s.kept", path, path);
	assert_int_equal(system(command), 0);
	fixture->places[0].target = 1;
	spool_done(fixture->spool, &fixture->places[0]);
	spool_close(fixture->spool);
	snprintf(command, sizeof command, "mv %s.kept %s", path, path);
	assert_int_equal(system(command), 0);
	open_spool(fixture);
	assert_int_equal(spool_replay(fixture->spool, on_left, fixture), 0);
	append_text(fixture, "another", 7);
	run_until(fixture, 2);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(fixture->left_count, 2);
}

static void count_batch(void *arg)
{
	((struct fixture *)arg)->batches++;
}

static void a_synced_batch_is_reported_to_its_callback(void **state)
{
	struct fixture *fixture = *state;

	spool_on_batch(fixture->spool, count_batch, fixture);
	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	assert_int_equal(fixture->batches, 1);
}

static void data_without_the_beginning_of_a_record_is_not_a_record(void **state)
{
	static const char head[SPOOL_RECORD_HEAD_BYTES] = "From a@b.example";

	(void)state;
	assert_int_equal(spool_record_bytes(head), 0);
}

static void marks_are_written_after_the_id_of_this_boot(void **state)
{
	struct fixture *fixture = *state;
	char boot[48] = "";
	char written[48];
	char path[128];
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

	assert_non_null(file);
	assert_int_equal(fread(boot, 1, 47, file), 37);
	fclose(file);
	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	spool_done(fixture->spool, &fixture->places[0]);
	file_path(fixture, "00000000000000000001.done", path);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fread(written, 1, sizeof written, file), sizeof written);
	fclose(file);
	assert_memory_equal(written, boot, sizeof boot);
}

/* A mark says that a message was copied to the mail store. After a power failure the copy may be
 * lost although the mark exists. */
static void marks_from_before_the_last_boot_do_not_count(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	int fd;

	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	spool_done(fixture->spool, &fixture->places[0]);
	file_path(fixture, "00000000000000000001.done", path);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "another boot", 12, 0), 12);
	close(fd);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(fixture->left_count, 2);
	assert_int_equal(access(path, F_OK), 0); /* `runner spool list` reads like this beside the
						    owner, who deletes it below */
	spool_done(fixture->spool, &fixture->left[0]);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(fixture->left_count, 1);
}

static void a_segment_is_deleted_when_all_its_mail_is_done(void **state)
{
	struct fixture *fixture = *state;
	struct spool_place place;
	char path[128];

	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	file_path(fixture, "00000000000000000001.mail", path);
	assert_int_equal(access(path, F_OK), 0);
	place = fixture->places[0];
	spool_done(fixture->spool, &place);
	place.target = 1;
	spool_done(fixture->spool, &place);
	spool_close(fixture->spool);
	fixture->spool = NULL;
	assert_int_not_equal(access(path, F_OK), 0);
	file_path(fixture, "00000000000000000001.done", path);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void foreign_files_in_the_folder_are_left_alone(void **state)
{
	struct fixture *fixture = *state;
	char path[128];

	file_path(fixture, "1.mail", path);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	file_path(fixture, "00000000000000000007.mail", path);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(reopen_as_after_a_kill(fixture), 0);
	await_removal(path); /* an empty segment needs no replay, so it is deleted */
	file_path(fixture, "1.mail", path);
	assert_int_equal(access(path, F_OK), 0);
	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	/* the new segment has the next number; no number is used twice */
	assert_int_equal(fixture->places[0].segment, 8);
}

static void a_full_disk_refuses_mail_and_nothing_stays_half_written(void **state)
{
	struct fixture *fixture = *state;
	struct rlimit before;
	struct rlimit small = {.rlim_cur = 3000};
	char *big = malloc(10000);

	memset(big, 'x', 10000);
	append_text(fixture, "fits", 4);
	run_until(fixture, 1);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	append_text(fixture, big, 10000);
	run_until(fixture, 2);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(fixture->refused, 1);
	assert_int_not_equal(fixture->last_error, 0);
	append_text(fixture, "fits again", 10);
	run_until(fixture, 3);
	assert_int_equal(fixture->stored, 2);
	/* not one octet of the refused record is in the file */
	assert_int_equal(reopen_as_after_a_kill(fixture), 0);
	assert_int_equal(fixture->left_count, 4);
	free(big);
}

static void many_messages_at_once_are_synced_together_and_all_are_kept(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 30; i++)
		append_text(fixture, "text", 4);
	run_until(fixture, 30);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(fixture->left_count, 60);
}

static off_t size_of_first_file(const struct fixture *fixture)
{
	struct stat info;
	char path[128];

	file_path(fixture, "00000000000000000001.mail", path);
	assert_int_equal(stat(path, &info), 0);
	return info.st_size;
}

static void store_one(struct fixture *fixture, const char *text, size_t length)
{
	append_text(fixture, text, length);
	run_until(fixture, fixture->stored + 1);
}

static uint64_t end_of_last(const struct fixture *fixture)
{
	const struct spool_place *last = &fixture->places[fixture->stored - 1];

	return last->offset + last->length;
}

static void a_segment_with_much_mail_has_zeros_ahead_which_replay_does_not_count(void **state)
{
	struct fixture *fixture = *state;
	char *big = malloc(40000);
	off_t size;

	memset(big, 'x', 40000);
	store_one(fixture, big, 40000);
	assert_int_equal(size_of_first_file(fixture), end_of_last(fixture)); /* little mail: none */
	store_one(fixture, big, 40000);
	size = size_of_first_file(fixture);
	assert_int_equal(size, 2 * end_of_last(fixture));
	store_one(fixture, big, 40000);
	assert_int_equal(size_of_first_file(fixture), size); /* the third is within the zeros */
	assert_int_equal(reopen_as_after_a_kill(fixture), 0);
	assert_int_equal(fixture->left_count, 6);
	free(big);
}

static void octets_of_an_unfinished_record_among_the_zeros_are_counted_as_lost(void **state)
{
	struct fixture *fixture = *state;
	char *big = malloc(70000);
	char path[128];
	int fd;

	memset(big, 'x', 70000);
	store_one(fixture, big, 70000);
	file_path(fixture, "00000000000000000001.mail", path);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "unfinished", 10, (off_t)end_of_last(fixture) + 48), 10);
	close(fd);
	assert_int_equal(reopen_as_after_a_kill(fixture), 58);
	assert_int_equal(fixture->left_count, 2);
	file_path(fixture, "damaged", path);
	assert_int_not_equal(access(path, F_OK), 0); /* it was never acknowledged */
	free(big);
}

static void closing_waits_for_writes_under_way(void **state)
{
	struct fixture *fixture = *state;

	append_text(fixture, "text", 4);
	/* the second message still waits for the sync of the first when the spool closes, so it is
	 * refused */
	append_text(fixture, "text", 4);
	spool_close(fixture->spool);
	assert_int_equal(fixture->stored, 1);
	assert_int_equal(fixture->refused, 1);
	open_spool(fixture);
	spool_replay(fixture->spool, on_left, fixture);
	assert_int_equal(fixture->left_count, 2);
}

static void two_runners_cannot_use_one_spool(void **state)
{
	struct fixture *fixture = *state;
	char error[SPOOL_ERROR_MAX];

	assert_null(spool_open(fixture->base, fixture->folder, error));
	assert_non_null(strstr(error, "another runner"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SPOOL(a_stored_message_is_read_back_as_it_was),
		SPOOL(acknowledged_mail_is_found_after_a_kill_once_per_target),
		SPOOL(mail_that_is_done_is_not_sent_again),
		SPOOL(marks_left_by_a_deleted_segment_do_not_count_for_the_next),
		SPOOL(a_synced_batch_is_reported_to_its_callback),
		SPOOL(data_without_the_beginning_of_a_record_is_not_a_record),
		SPOOL(marks_are_written_after_the_id_of_this_boot),
		SPOOL(marks_from_before_the_last_boot_do_not_count),
		SPOOL(a_segment_is_deleted_when_all_its_mail_is_done),
		SPOOL(foreign_files_in_the_folder_are_left_alone),
		SPOOL(a_full_disk_refuses_mail_and_nothing_stays_half_written),
		SPOOL(many_messages_at_once_are_synced_together_and_all_are_kept),
		SPOOL(a_segment_with_much_mail_has_zeros_ahead_which_replay_does_not_count),
		SPOOL(octets_of_an_unfinished_record_among_the_zeros_are_counted_as_lost),
		SPOOL(closing_waits_for_writes_under_way),
		SPOOL(two_runners_cannot_use_one_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

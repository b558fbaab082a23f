/* The spool: what was acknowledged is there after a crash, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "local/spool/spool-record.h"
#include "local/spool/spool-replay.h"
#include "local/spool/spool-segment.h"
#include "local/spool/spool.h"
#include "tests/unit/temp_folder.h"

enum {
	MESSAGES_MAX = 64,
};

struct fixture {
	char folder[TEMP_FOLDER_BYTES];
	struct event_base *base;
	struct spool *spool;
	struct spool_place places[MESSAGES_MAX];
	int stored;
	int refused;
	int last_error;
	struct spool_place left[MESSAGES_MAX];
	int left_count;
	int batches;
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

	assert_true(make_temp_folder(fixture->folder, "eds-spool"));
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

static void on_stored(void *arg, const struct spool_place *place, int error)
{
	struct fixture *fixture = arg;

	if (place != NULL)
		fixture->places[fixture->stored++] = *place;
	else
		fixture->refused++;
	fixture->last_error = error;
}

static void append_text(struct fixture *fixture, const char *message, size_t length)
{
	static const char *recipients[] = {"a@x.example", "b@x.example"};
	struct spool_target targets[] = {
		{"tester", "id-tester", recipients, 2},
		{"reports", "id-reports", recipients, 1},
	};
	const struct spool_mail mail = {
		.received_at_ms = 1700000000123,
		.client_ip = "192.0.2.1",
		.helo = "h.example",
		.mail_from = "",
		.tls = "TLSv1.3 X",
		.protocol = "ESMTPS",
		.targets = targets,
		.target_count = 2,
		.message = message,
		.length = length,
	};

	spool_append(fixture->spool, &mail, on_stored, fixture);
}

static void run_until(struct fixture *fixture, int answers)
{
	for (int i = 0; i < 1000 && fixture->stored + fixture->refused < answers; i++)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	assert_int_equal(fixture->stored + fixture->refused, answers);
}

static void on_left(void *arg, const struct spool_place *place, const struct spool_mail *mail)
{
	struct fixture *fixture = arg;

	assert_string_equal(
		mail->targets[place->target].function, place->target == 0 ? "tester" : "reports");
	fixture->left[fixture->left_count++] = *place;
}

/* As after a kill: nothing is tidied up. The files of a running spool are copied aside. */
static uint64_t reopen_as_after_a_kill(struct fixture *fixture)
{
	char command[256];

	snprintf(command, sizeof command, "cp -a %s %s.copy && rm -f %s.copy/lock", fixture->folder,
		fixture->folder, fixture->folder);
	assert_int_equal(system(command), 0);
	spool_close(fixture->spool);
	snprintf(command, sizeof command, "rm -rf %s && mv %s.copy %s", fixture->folder,
		fixture->folder, fixture->folder);
	assert_int_equal(system(command), 0);
	open_spool(fixture);
	fixture->left_count = 0;
	return spool_replay(fixture->spool, on_left, fixture);
}

static void file_path(const struct fixture *fixture, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", fixture->folder, name);
}

/* Segments are deleted by a thread. */
static void await_removal(const char *path)
{
	for (int i = 0; i < 5000 && access(path, F_OK) == 0; i++)
		usleep(1000);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void a_stored_message_is_read_back_as_it_was(void **state)
{
	struct fixture *fixture = *state;
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct spool_mail mail;

	append_text(fixture, "one\r\n\0two", 9);
	assert_int_equal(fixture->stored, 0); /* not before it is synced */
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

static void what_was_acknowledged_is_found_after_a_kill_once_for_each_target(void **state)
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

static void what_is_done_is_not_sent_again(void **state)
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

/* Marks of mail that is gone, under the number that the next segment gets. */
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

static void whoever_wants_to_know_is_told_of_a_batch(void **state)
{
	struct fixture *fixture = *state;

	spool_on_batch(fixture->spool, count_batch, fixture);
	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	assert_int_equal(fixture->batches, 1);
}

static void what_does_not_begin_as_a_record_is_none(void **state)
{
	static const char head[SPOOL_RECORD_HEAD_BYTES] = "From a@b.example";

	(void)state;
	assert_int_equal(spool_record_bytes(head), 0);
}

static void marks_stand_behind_the_name_of_this_boot(void **state)
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

/* Copies in the mail store may be gone with the power while a mark is there. */
static void marks_from_before_the_machine_was_started_do_not_count(void **state)
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
	spool_done(fixture->spool, &fixture->left[0]);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(fixture->left_count, 1);
}

static void a_segment_goes_when_all_in_it_is_done(void **state)
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

static void a_torn_record_at_the_end_is_passed_over(void **state)
{
	struct fixture *fixture = *state;
	char path[128];

	for (int i = 0; i < 3; i++)
		append_text(fixture, "text of a message", 17);
	run_until(fixture, 3);
	file_path(fixture, "00000000000000000001.mail", path);
	for (uint32_t cut = 1; cut < fixture->places[2].length; cut += 7) {
		assert_int_equal(truncate(path,
					 (off_t)(fixture->places[2].offset +
						 fixture->places[2].length - cut)),
			0);
		assert_int_equal(reopen_as_after_a_kill(fixture), fixture->places[2].length - cut);
		assert_int_equal(fixture->left_count, 4);
	}
}

static void a_record_whose_checksum_is_wrong_is_passed_over_and_the_next_is_found(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	int fd;

	for (int i = 0; i < 3; i++)
		append_text(fixture, "text of a message", 17);
	run_until(fixture, 3);
	file_path(fixture, "00000000000000000001.mail", path);
	fd = open(path, O_WRONLY);
	assert_int_equal(
		pwrite(fd, "!", 1,
			(off_t)(fixture->places[1].offset + fixture->places[1].length - 1)),
		1);
	close(fd);
	assert_int_equal(reopen_as_after_a_kill(fixture), fixture->places[1].length);
	assert_int_equal(fixture->left_count, 4);
	assert_int_equal(fixture->left[2].offset, fixture->places[2].offset);
}

static int kept_files(const struct fixture *fixture, char last[128])
{
	char path[128];
	struct dirent *entry;
	int count = 0;
	DIR *folder;

	file_path(fixture, "damaged", path);
	folder = opendir(path);
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		snprintf(last, 128, "%.60s/%.60s", path, entry->d_name);
	}
	if (folder != NULL)
		closedir(folder);
	return count;
}

static void spoil(const struct fixture *fixture, const char *name, off_t offset)
{
	char path[128];
	int fd;

	file_path(fixture, name, path);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "!", 1, offset), 1);
	close(fd);
}

static void finish_all_left(struct fixture *fixture)
{
	for (int i = 0; i < fixture->left_count; i++)
		spool_done(fixture->spool, &fixture->left[i]);
}

static void a_damaged_file_is_kept_aside_once_while_its_sound_mail_is_delivered(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	char kept[128];
	struct stat info;

	append_text(fixture, "text of a message", 17);
	append_text(fixture, "of another message", 18);
	run_until(fixture, 2);
	spoil(fixture, "00000000000000000001.mail", (off_t)fixture->places[1].offset - 1);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(kept_files(fixture, kept), 1);
	assert_int_equal(fixture->left_count, 2);
	spool_close(fixture->spool);
	open_spool(fixture);
	fixture->left_count = 0;
	spool_replay(fixture->spool, on_left, fixture);
	finish_all_left(fixture);
	file_path(fixture, "00000000000000000001.mail", path);
	await_removal(path);
	assert_int_equal(kept_files(fixture, kept), 1);
	assert_int_equal(stat(kept, &info), 0);
	assert_int_equal(
		info.st_size, (off_t)(fixture->places[1].offset + fixture->places[1].length));
}

static void a_file_without_any_sound_record_is_kept_aside(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	char kept[128];

	append_text(fixture, "text of a message", 17);
	run_until(fixture, 1);
	spoil(fixture, "00000000000000000001.mail", 0);
	reopen_as_after_a_kill(fixture);
	file_path(fixture, "00000000000000000001.mail", path);
	await_removal(path);
	assert_int_equal(kept_files(fixture, kept), 1);
}

static void a_record_found_damaged_while_it_is_delivered_is_kept_aside(void **state)
{
	struct fixture *fixture = *state;
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct spool_mail mail;
	char kept[128];

	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	assert_int_equal(kept_files(fixture, kept), 0);
	spoil(fixture, "00000000000000000001.mail", 60);
	assert_int_equal(spool_read(&ctx, fixture->spool, &fixture->places[0], &mail), RT_INTERNAL);
	assert_int_equal(kept_files(fixture, kept), 1);
	rt_arena_free(ctx.arena);
}

/* As a large message leaves it that was being received when the runner was killed. */
static void a_message_that_was_never_acknowledged_is_not_kept_aside(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	char kept[128];
	int fd;

	file_path(fixture, "00000000000000000005.mail", path);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(pwrite(fd, "text of a message", 17, 400), 17);
	close(fd);
	assert_int_equal(reopen_as_after_a_kill(fixture), 417);
	await_removal(path);
	assert_int_equal(kept_files(fixture, kept), 0);
}

static void of_many_damaged_files_32_are_kept(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	char name[32];
	char kept[128];

	for (int i = 1; i <= 40; i++) {
		snprintf(name, sizeof name, "%020d.mail", i);
		file_path(fixture, name, path);
		close(open(path, O_WRONLY | O_CREAT, 0600));
		spoil(fixture, name, 0);
	}
	reopen_as_after_a_kill(fixture);
	assert_int_equal(kept_files(fixture, kept), 32);
}

static void a_damaged_record_is_not_handed_out(void **state)
{
	struct fixture *fixture = *state;
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct spool_mail mail;
	char path[128];
	int fd;

	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	file_path(fixture, "00000000000000000001.mail", path);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "!", 1, 60), 1);
	close(fd);
	assert_int_equal(spool_read(&ctx, fixture->spool, &fixture->places[0], &mail), RT_INTERNAL);
	assert_string_equal(ctx.failure.code, "spool-damaged");
	rt_arena_free(ctx.arena);
}

static void files_of_others_in_the_folder_are_left_alone(void **state)
{
	struct fixture *fixture = *state;
	char path[128];

	file_path(fixture, "1.mail", path);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	file_path(fixture, "00000000000000000007.mail", path);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(reopen_as_after_a_kill(fixture), 0);
	await_removal(path); /* an empty segment has nothing left */
	file_path(fixture, "1.mail", path);
	assert_int_equal(access(path, F_OK), 0);
	append_text(fixture, "text", 4);
	run_until(fixture, 1);
	assert_int_equal(fixture->places[0].segment, 8); /* numbers are not used again */
}

static void a_disk_without_room_refuses_the_mail_and_keeps_nothing_half_written(void **state)
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
	assert_int_equal(reopen_as_after_a_kill(fixture), 0); /* not one octet of it is left */
	assert_int_equal(fixture->left_count, 4);
	free(big);
}

/* The limit ends the process where half of the message is written. */
static void append_until_killed(const struct fixture *fixture)
{
	const struct rlimit limit = {.rlim_cur = 6000, .rlim_max = 6000};
	static char message[10000];
	const struct spool_mail mail = {.client_ip = "192.0.2.1",
		.helo = "h.example",
		.mail_from = "",
		.tls = "",
		.protocol = "ESMTP",
		.message = message,
		.length = sizeof message};
	struct iovec parts[] = {{0}, {message, sizeof message}};

	signal(SIGXFSZ, SIG_DFL);
	setrlimit(RLIMIT_FSIZE, &limit);
	parts[0].iov_base = spool_record_head(&mail, &parts[0].iov_len);
	spool_segment_append(
		spool_segment_new(open(fixture->folder, O_RDONLY | O_DIRECTORY), 1), parts, 2);
	_exit(0);
}

static void a_runner_that_is_killed_while_it_writes_leaves_nothing_to_look_at(void **state)
{
	struct fixture *fixture = *state;
	char kept[128];
	int status = 0;
	pid_t child;

	spool_close(fixture->spool);
	fixture->spool = NULL;
	child = fork();
	if (child == 0)
		append_until_killed(fixture);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	open_spool(fixture);
	assert_int_equal(spool_replay(fixture->spool, on_left, fixture), 6000);
	assert_int_equal(fixture->left_count, 0);
	assert_int_equal(kept_files(fixture, kept), 0);
}

static void many_messages_at_once_are_synced_together_and_all_kept(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 30; i++)
		append_text(fixture, "text", 4);
	run_until(fixture, 30);
	reopen_as_after_a_kill(fixture);
	assert_int_equal(fixture->left_count, 60);
}

static void closing_waits_for_what_is_being_written(void **state)
{
	struct fixture *fixture = *state;

	append_text(fixture, "text", 4);
	append_text(fixture, "text", 4); /* waits for the sync of the first: it is refused */
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
#define SPOOL(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		SPOOL(a_stored_message_is_read_back_as_it_was),
		SPOOL(what_was_acknowledged_is_found_after_a_kill_once_for_each_target),
		SPOOL(what_is_done_is_not_sent_again),
		SPOOL(marks_left_by_a_deleted_segment_do_not_count_for_the_next),
		SPOOL(whoever_wants_to_know_is_told_of_a_batch),
		SPOOL(what_does_not_begin_as_a_record_is_none),
		SPOOL(marks_stand_behind_the_name_of_this_boot),
		SPOOL(marks_from_before_the_machine_was_started_do_not_count),
		SPOOL(a_segment_goes_when_all_in_it_is_done),
		SPOOL(a_torn_record_at_the_end_is_passed_over),
		SPOOL(a_record_whose_checksum_is_wrong_is_passed_over_and_the_next_is_found),
		SPOOL(a_damaged_record_is_not_handed_out),
		SPOOL(a_damaged_file_is_kept_aside_once_while_its_sound_mail_is_delivered),
		SPOOL(a_file_without_any_sound_record_is_kept_aside),
		SPOOL(a_record_found_damaged_while_it_is_delivered_is_kept_aside),
		SPOOL(a_message_that_was_never_acknowledged_is_not_kept_aside),
		SPOOL(of_many_damaged_files_32_are_kept),
		SPOOL(files_of_others_in_the_folder_are_left_alone),
		SPOOL(a_disk_without_room_refuses_the_mail_and_keeps_nothing_half_written),
		SPOOL(a_runner_that_is_killed_while_it_writes_leaves_nothing_to_look_at),
		SPOOL(many_messages_at_once_are_synced_together_and_all_kept),
		SPOOL(closing_waits_for_what_is_being_written),
		SPOOL(two_runners_cannot_use_one_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

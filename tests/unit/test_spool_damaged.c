/* Unreadable data in a spool: what is skipped, what is kept in damaged/, and what a killed runner
 * leaves.
 */
#include "tests/unit/spool_fixture.h"

#include "local/spool/spool-segment.h"

static void a_torn_record_at_the_end_is_skipped(void **state)
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
		/* Zeros at the end are not counted: a small number in 4 octets has 3 of them. */
		assert_in_range(reopen_as_after_a_kill(fixture),
			fixture->places[2].length - cut - 3, fixture->places[2].length - cut);
		assert_int_equal(fixture->left_count, 4);
	}
}

static void a_record_with_a_wrong_checksum_is_skipped_and_the_next_is_found(void **state)
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

/* The state that a large message leaves when the runner is killed while receiving it. */
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

static void only_32_of_many_damaged_files_are_kept(void **state)
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

/* Stores a message under a limit of file size that ends the process when half of the message is
 * written. */
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

	memset(message, 'x', sizeof message);
	signal(SIGXFSZ, SIG_DFL);
	setrlimit(RLIMIT_FSIZE, &limit);
	parts[0].iov_base = spool_record_head(&mail, &parts[0].iov_len);
	spool_segment_append(
		spool_segment_new(open(fixture->folder, O_RDONLY | O_DIRECTORY), 1), parts, 2);
	_exit(0);
}

static void a_runner_killed_while_writing_leaves_no_file_to_examine(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		SPOOL(a_torn_record_at_the_end_is_skipped),
		SPOOL(a_record_with_a_wrong_checksum_is_skipped_and_the_next_is_found),
		SPOOL(a_damaged_record_is_not_handed_out),
		SPOOL(a_damaged_file_is_kept_aside_once_while_its_sound_mail_is_delivered),
		SPOOL(a_file_without_any_sound_record_is_kept_aside),
		SPOOL(a_record_found_damaged_while_it_is_delivered_is_kept_aside),
		SPOOL(a_message_that_was_never_acknowledged_is_not_kept_aside),
		SPOOL(only_32_of_many_damaged_files_are_kept),
		SPOOL(a_runner_killed_while_writing_leaves_no_file_to_examine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

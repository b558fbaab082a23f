/* The folder of received messages: messages appear whole or not at all, names are safe, and faults
 * are reported. */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/config/config.h"
#include "runtime/mail-store/mailstore.h"
#include "tests/support/test-event.h"
#include "tests/unit/temp_folder.h"

static char folder[TEMP_FOLDER_BYTES];

static int make_folder(void **state)
{
	char url[TEMP_FOLDER_BYTES + 16];

	(void)state;
	if (!make_temp_folder(folder, "eds-test-mailstore"))
		return -1;
	snprintf(url, sizeof url, "file:%s/deep/mail", folder);
	setenv("EDS_MAIL_STORE", url, 1);
	rt_config_require();
	return 0;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
	(void)info;
	(void)type;
	(void)place;
	return remove(path);
}

static int remove_folder(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static rt_status put(struct rt_ctx *ctx, const char *id, const char *head, const char *body)
{
	struct iovec parts[] = {
		{(void *)(uintptr_t)head, strlen(head)}, {(void *)(uintptr_t)body, strlen(body)}};

	return rt_mailstore_put(ctx, id, parts, 2, true);
}

static void a_message_is_read_back_unchanged(void **state)
{
	char bytes[64] = "";
	size_t length;
	int fd;

	assert_int_equal(put(*state, "m-1_a.b", "Received: x\r\n", "Subject: y\r\n\r\nz"), RT_OK);
	assert_int_equal(rt_mailstore_open(*state, "m-1_a.b", &fd, &length), RT_OK);
	assert_int_equal(length, 28);
	assert_int_equal(read(fd, bytes, sizeof bytes - 1), 28);
	assert_string_equal(bytes, "Received: x\r\nSubject: y\r\n\r\nz");
}

static void a_message_put_again_replaces_the_first(void **state)
{
	size_t length;
	int fd;

	assert_int_equal(put(*state, "again", "long long ", "text"), RT_OK);
	assert_int_equal(put(*state, "again", "a", "b"), RT_OK);
	assert_int_equal(rt_mailstore_open(*state, "again", &fd, &length), RT_OK);
	assert_int_equal(length, 2);
}

static void a_deleted_message_is_not_found_and_may_be_deleted_again(void **state)
{
	struct rt_ctx *ctx = *state;
	size_t length;
	int fd;

	assert_int_equal(put(ctx, "gone", "", "x"), RT_OK);
	assert_int_equal(rt_mailstore_delete(ctx, "gone"), RT_OK);
	assert_int_equal(rt_mailstore_delete(ctx, "gone"), RT_OK);
	assert_int_equal(rt_mailstore_open(ctx, "gone", &fd, &length), RT_NOT_FOUND);
	assert_string_equal(ctx->failure.code, "message-not-found");
}

static void a_name_that_could_leave_the_folder_is_refused(void **state)
{
	static const char *const bad[] = {
		"", ".", "..", "../x", "a/b", "/etc/passwd", ".hidden", "a b", "a\nb", "\xc3\xa4"};
	struct rt_ctx *ctx = *state;
	char long_name[RT_MESSAGE_ID_MAX + 2];
	size_t length;
	int fd;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		rt_fail_clear(ctx);
		assert_int_equal(put(ctx, bad[i], "", "x"), RT_BAD_INPUT);
		assert_int_equal(rt_mailstore_open(ctx, bad[i], &fd, &length), RT_BAD_INPUT);
		assert_int_equal(rt_mailstore_delete(ctx, bad[i]), RT_BAD_INPUT);
	}
	memset(long_name, 'a', sizeof long_name);
	long_name[sizeof long_name - 1] = '\0';
	assert_int_equal(put(ctx, long_name, "", "x"), RT_BAD_INPUT);
	assert_int_equal(put(ctx, long_name + 1, "", "x"), RT_OK);
}

static void a_link_in_the_folder_is_not_followed(void **state)
{
	char path[128];
	size_t length;
	int fd;

	assert_int_equal(put(*state, "first", "", "x"), RT_OK);
	snprintf(path, sizeof path, "%s/deep/mail/link", folder);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(rt_mailstore_open(*state, "link", &fd, &length), RT_TEMPORARY);
}

static void a_full_disk_leaves_nothing_half_written(void **state)
{
	struct rt_ctx *ctx = *state;
	struct rlimit usual;
	struct rlimit small;
	size_t length;
	int fd;
	rt_status status;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
	small = usual;
	small.rlim_cur = 5;
	setrlimit(RLIMIT_FSIZE, &small);
	status = put(ctx, "full", "12345", "67890");
	setrlimit(RLIMIT_FSIZE, &usual);
	assert_int_equal(status, RT_TEMPORARY);
	assert_string_equal(ctx->failure.code, "mail-store-failed");
	rt_fail_clear(ctx);
	assert_int_equal(rt_mailstore_open(ctx, "full", &fd, &length), RT_NOT_FOUND);
}

static void only_old_messages_are_listed(void **state)
{
	const struct timespec old[] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
	static struct rt_mailstore_names names;
	char path[128];

	assert_int_equal(put(*state, "old-one", "", "x"), RT_OK);
	assert_int_equal(put(*state, "young", "", "x"), RT_OK);
	snprintf(path, sizeof path, "%s/deep/mail/old-one", folder);
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	snprintf(path, sizeof path, "%s/deep/mail/.hidden", folder);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	snprintf(path, sizeof path, "%s/deep/mail/folder", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_int_equal(rt_mailstore_list(*state, 1000000001000, &names), RT_OK);
	assert_int_equal(names.count, 1);
	assert_string_equal(names.items[0], "old-one");
	assert_int_equal(rt_mailstore_list(*state, 1000000000000, &names), RT_OK);
	assert_int_equal(names.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_is_read_back_unchanged),
		TEST(a_message_put_again_replaces_the_first),
		TEST(a_deleted_message_is_not_found_and_may_be_deleted_again),
		TEST(a_name_that_could_leave_the_folder_is_refused),
		TEST(a_link_in_the_folder_is_not_followed),
		TEST(a_full_disk_leaves_nothing_half_written),
		TEST(only_old_messages_are_listed),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

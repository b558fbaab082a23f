/* A spool in a folder of its own, with records of the stored, the refused and the replayed mail. */
#ifndef TEST_SPOOL_FIXTURE_H
#define TEST_SPOOL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
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

static inline void open_spool(struct fixture *fixture)
{
	char error[SPOOL_ERROR_MAX];

	fixture->spool = spool_open(fixture->base, fixture->folder, error);
	if (fixture->spool == NULL)
		fail_msg("%s", error);
}

static inline int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);

	assert_true(make_temp_folder(fixture->folder, "eds-spool"));
	fixture->base = event_base_new();
	open_spool(fixture);
	*state = fixture;
	return 0;
}

static inline int teardown(void **state)
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

static inline void on_stored(void *arg, const struct spool_place *place, int error)
{
	struct fixture *fixture = arg;

	if (place != NULL)
		fixture->places[fixture->stored++] = *place;
	else
		fixture->refused++;
	fixture->last_error = error;
}

static inline void append_text(struct fixture *fixture, const char *message, size_t length)
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

static inline void run_until(struct fixture *fixture, int answers)
{
	for (int i = 0; i < 1000 && fixture->stored + fixture->refused < answers; i++)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	assert_int_equal(fixture->stored + fixture->refused, answers);
}

static inline void on_left(
	void *arg, const struct spool_place *place, const struct spool_mail *mail)
{
	struct fixture *fixture = arg;

	assert_string_equal(
		mail->targets[place->target].function, place->target == 0 ? "tester" : "reports");
	fixture->left[fixture->left_count++] = *place;
}

/* Imitates a killed runner: opens a copy of the files that was made while the spool was still
 * running, so that nothing was tidied up. */
static inline uint64_t reopen_as_after_a_kill(struct fixture *fixture)
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

static inline void file_path(const struct fixture *fixture, const char *name, char path[128])
{
	snprintf(path, 128, "%s/%s", fixture->folder, name);
}

/* Waits until the file is gone, because a thread of the spool deletes it. */
static inline void await_removal(const char *path)
{
	for (int i = 0; i < 5000 && access(path, F_OK) == 0; i++)
		usleep(1000);
	assert_int_not_equal(access(path, F_OK), 0);
}

#define SPOOL(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif

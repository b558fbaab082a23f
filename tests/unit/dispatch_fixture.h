/* A dispatch with a spool and a mail store of its own. The test takes the place of the pools: it
 * records each submitted event, and answers it when the test says so. */
#ifndef TEST_DISPATCH_FIXTURE_H
#define TEST_DISPATCH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "local/dispatch/dispatch.h"
#include "runtime/buffer.h"
#include "runtime/config/config.h"
#include "runtime/host/metrics.h"
#include "runtime/time.h"
#include "tests/unit/temp_folder.h"

enum {
	SUBMITTED_MAX = 64,
	WAIT_MS = 10000,
	QUIET_MS = 30,
};

/* An event that was submitted and not answered yet. */
struct submitted {
	const struct manifest_function *function;
	json_t *event;
	pool_done done;
	void *arg;
};

static struct submitted submitted[SUBMITTED_MAX];
static size_t submitted_count;

void pools_submit(struct pools *pools, const struct manifest_function *function, const char *event,
	size_t length, pool_done done, void *arg)
{
	json_t *value = json_loadb(event, length, JSON_REJECT_DUPLICATES, NULL);

	(void)pools;
	assert_non_null(value);
	assert_null(memchr(event, '\n', length));
	submitted[submitted_count++] = (struct submitted){function, value, done, arg};
}

static void answer(size_t i, enum pool_outcome outcome, const char *text)
{
	struct submitted it = submitted[i];

	json_decref(it.event);
	submitted[i].event = NULL;
	it.done(it.arg, outcome, text, text != NULL ? strlen(text) : 0);
}

/* The arrival time of the messages, epoch; each test begins with the current time. */
static int64_t received_at_ms;
/* The first pause, both before the second try of a message and in a wait for a part that does not
 * work, such as the database. */
static int first_pause_ms = 20;
/* The first pause of mail that a function puts off; each test begins with this one. */
static int put_off_ms;
/* Octets that the next messages count for. */
static size_t held_octets;

struct fixture {
	char folder[TEMP_FOLDER_BYTES];
	char spool_folder[128];
	struct event_base *base;
	struct spool *spool;
	struct dispatch *dispatch;
	struct manifest manifest;
	struct spool_place place;
	bool stored;
};

static void start(struct fixture *fixture)
{
	struct dispatch_settings settings = {
		.base = fixture->base,
		.manifest = &fixture->manifest,
		.pauses_ms = {first_pause_ms, 40},
		.put_off_ms = put_off_ms,
	};
	char error[SPOOL_ERROR_MAX];

	fixture->spool = spool_open(fixture->base, fixture->spool_folder, error);
	assert_non_null(fixture->spool);
	settings.spool = fixture->spool;
	fixture->dispatch = dispatch_new(&settings);
	assert_non_null(fixture->dispatch);
}

static void stop(struct fixture *fixture)
{
	dispatch_free(fixture->dispatch);
	spool_close(fixture->spool);
}

/* Uses timers of the precise clock, because those of the coarse clock may end a tick of 4 ms
 * early. */
static struct event_base *new_precise_base(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base;

	assert_non_null(config);
	assert_int_equal(event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER), 0);
	base = event_base_new_with_config(config);
	event_config_free(config);
	assert_non_null(base);
	return base;
}

static int setup(void **state)
{
	static char folder[TEMP_FOLDER_BYTES];
	struct fixture *fixture = calloc(1, sizeof *fixture);
	static bool configured;

	/* The configuration is read once for the process, so all tests share the mail store. */
	if (!configured) {
		char store[96];

		assert_true(make_temp_folder(folder, "eds-dispatch"));
		snprintf(store, sizeof store, "file:%s/mail", folder);
		setenv("EDS_MAIL_STORE", store, 1);
		rt_config_require();
		configured = true;
	}
	snprintf(fixture->folder, sizeof fixture->folder, "%s", folder);
	snprintf(fixture->spool_folder, sizeof fixture->spool_folder, "%s/spool", folder);
	fixture->manifest.functions[0].name = "tester";
	fixture->manifest.functions[1].name = "reports";
	fixture->manifest.functions[0].handlers = fixture->manifest.functions[1].handlers = 4;
	fixture->manifest.count = 2;
	fixture->base = new_precise_base();
	submitted_count = 0;
	received_at_ms = rt_wall_ms();
	held_octets = 0;
	put_off_ms = 20;
	start(fixture);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	char command[160];

	stop(fixture);
	event_base_free(fixture->base);
	for (size_t i = 0; i < submitted_count; i++)
		json_decref(submitted[i].event);
	snprintf(command, sizeof command, "rm -rf %s/mail %s/spool", fixture->folder,
		fixture->folder);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

static void on_stored(void *arg, const struct spool_place *place, int error)
{
	struct fixture *fixture = arg;

	assert_int_equal(error, 0);
	fixture->place = *place;
	fixture->stored = true;
}

static void add_message_of(struct fixture *fixture, const char *client_ip, const char *message_id,
	const char *function)
{
	const char *recipients[] = {"a@x.example", "b@x.example"};
	struct spool_target target = {function, message_id, recipients, 2};
	const char text[] = "Subject: =?x?=\r\n folded\r\nFrom : <a@b.example>\r\nno field\r\n"
			    "X-Raw: \xff\"\\\r\n\r\nbody\r\n";
	const struct spool_mail mail = {
		.received_at_ms = 1700000000123,
		.client_ip = client_ip,
		.helo = "h.example",
		.mail_from = "s@b.example",
		.tls = "",
		.protocol = "ESMTP",
		.targets = &target,
		.target_count = 1,
		.message = text,
		.length = strlen(text),
	};

	fixture->stored = false;
	spool_append(fixture->spool, &mail, on_stored, fixture);
	while (!fixture->stored)
		event_base_loop(fixture->base, EVLOOP_ONCE);
	dispatch_add(fixture->dispatch, &fixture->place, function, client_ip, held_octets,
		received_at_ms);
}

static void add_message(struct fixture *fixture, const char *message_id, const char *function)
{
	add_message_of(fixture, "2001:db8::1", message_id, function);
}

/* Runs the loop until the condition holds; fails the test when it does not hold in time. */
#define RUN_UNTIL(fixture, condition)                                                              \
	do {                                                                                       \
		for (int ms = 0; ms < WAIT_MS && !(condition); ms++) {                             \
			event_base_loop((fixture)->base, EVLOOP_NONBLOCK);                         \
			usleep(1000);                                                              \
		}                                                                                  \
		assert_true(condition);                                                            \
	} while (0)

/* Runs the loop until this many events were submitted in total. */
static void run_until(struct fixture *fixture, size_t count)
{
	RUN_UNTIL(fixture, submitted_count >= count);
	assert_int_equal(submitted_count, count);
}

/* Whether this many events were submitted, and no more for a while. */
static inline void stays_at(struct fixture *fixture, size_t count)
{
	run_until(fixture, count);
	for (int ms = 0; ms < QUIET_MS; ms++) {
		event_base_loop(fixture->base, EVLOOP_NONBLOCK);
		usleep(1000);
	}
	assert_int_equal(submitted_count, count);
}

/* Answers each event from the given one on, and those that follow from the answers. */
static inline void answer_all(struct fixture *fixture, size_t first, size_t count)
{
	for (size_t i = first; i < count; i++) {
		RUN_UNTIL(fixture, submitted_count > i);
		answer(i, POOL_ANSWERED, "{}");
	}
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

static inline bool exists(const struct fixture *fixture, const char *name)
{
	char path[160];

	snprintf(path, sizeof path, "%s/%s", fixture->folder, name);
	return access(path, F_OK) == 0;
}

static const char *text_at(
	const json_t *event, const char *first, const char *second, const char *third)
{
	const json_t *record = json_array_get(json_object_get(event, "Records"), 0);
	const json_t *value = json_object_get(record, first);

	if (second != NULL)
		value = json_object_get(value, second);
	if (third != NULL)
		value = json_object_get(value, third);
	return json_string_value(value);
}

static inline const char *submitted_id(size_t i)
{
	return text_at(submitted[i].event, "ses", "mail", "messageId");
}

/* -1: there is none. */
static inline int64_t metric(const char *name)
{
	struct rt_buffer text;
	const char *line;
	long long value = -1;

	rt_buffer_init_heap(&text, METRICS_TEXT_MAX);
	metrics_write(&text);
	rt_buffer_add(&text, "", 1); /* strstr needs a NUL at the end */
	for (line = strstr(text.bytes, name); line != NULL; line = strstr(line + 1, name))
		if (line[-1] == '\n' && sscanf(line + strlen(name), " %lld", &value) == 1)
			break;
	rt_buffer_done(&text);
	return value;
}

#define DISPATCH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif

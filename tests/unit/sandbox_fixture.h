/* Code shared by the tests of the sandbox: children that misbehave on request
 * (tests/support/hostile-verifier.c), and DNS by the test itself, which defines the few calls of
 * dns.h that the sandbox makes. */
#ifndef SANDBOX_FIXTURE_H
#define SANDBOX_FIXTURE_H

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "functions/lib/sandbox/helper.h"
#include "functions/lib/sandbox/sandbox.h"
#include "functions/lib/sandbox/verifier.h"
#include "runtime/time.h"
#include "tests/unit/careless_helper.h"

enum {
	SILENCE_MS = 300,
	EVENT_MS = 10000,
	MESSAGES = 1000,
	PROCESSES_MAX = 16,
};

struct eds_dns {
	struct rt_ctx *ctx;
	/* answers that go to the child together with its task */
	const struct eds_dns_answer *known;
	size_t known_count;
	unsigned asked;
	unsigned waits; /* number of calls of eds_dns_step() */
	char last_name[EDS_DNS_NAME_MAX + 1];
	void (*watch)(struct eds_dns *dns); /* called for each question of a child */
	/* the text that watch has read, for the test to examine */
	char seen[2048];
	int report; /* the descriptor that watch writes to */
};

/* Sanitizer builds run the children without confinement: a sanitizer needs system calls that a
 * confined child may not make, and it turns a crash into a report and an exit. */
#ifdef __SANITIZE_ADDRESS__
static const bool confined = false;
#else
static const bool confined = true;
#endif

static struct rt_ctx ctx;
static struct eds_dns dns;
static struct eds_helper_spec spec;
static char hostile_path[4096];
static char verifier_path[4096];
static int message_fd;

static const char message[] = "Subject: hello\r\n\r\nHello.\r\n";

void eds_dns_when(struct eds_dns *self, const char *name, enum eds_dns_type type,
	eds_dns_callback callback, void *arg)
{
	struct eds_dns_record *record = rt_alloc(self->ctx, sizeof *record);
	struct eds_dns_answer *answer = rt_alloc(self->ctx, sizeof *answer);

	self->asked++;
	snprintf(self->last_name, sizeof self->last_name, "%s", name);
	if (self->watch != NULL)
		self->watch(self);
	if (strncmp(name, "never", 5) == 0)
		return;
	*record = (struct eds_dns_record){
		.txt = rt_strdup(self->ctx, "answered"), .txt_length = strlen("answered")};
	*answer = (struct eds_dns_answer){.name = rt_strdup(self->ctx, name),
		.type = type,
		.state = EDS_DNS_FOUND,
		.reason = "",
		.canonical = "",
		.records = record,
		.count = 1};
	callback(arg, answer);
}

bool eds_dns_step(struct eds_dns *self, int fd, int max_ms)
{
	struct pollfd readable = {.fd = fd, .events = POLLIN};

	self->waits++;
	return poll(&readable, 1, max_ms) > 0;
}

size_t eds_dns_answers(struct eds_dns *self, const struct eds_dns_answer **answers, size_t max)
{
	size_t count = self->known_count < max ? self->known_count : max;

	for (size_t i = 0; i < count; i++)
		answers[i] = &self->known[i];
	return count;
}

static inline int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	memset(&dns, 0, sizeof dns);
	ctx.arena = rt_arena_new();
	ctx.deadline_ms = rt_monotonic_ms() + EVENT_MS;
	dns.ctx = &ctx;
	message_fd = memfd_create("message", MFD_CLOEXEC);
	assert_int_equal(write(message_fd, message, strlen(message)), strlen(message));
	spec = (struct eds_helper_spec){.path = hostile_path,
		.sandbox = confined ? RT_SANDBOX_REQUIRED : RT_SANDBOX_OFF,
		.silence_ms = SILENCE_MS};
	eds_helper_use(EDS_HELPER_VERIFIER, &spec);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	eds_helper_use(EDS_HELPER_VERIFIER, NULL);
	close(message_fd);
	rt_arena_free(ctx.arena);
	return 0;
}

static inline struct eds_verify_input input_for(const char *behavior)
{
	return (struct eds_verify_input){.message_fd = message_fd,
		.message_bytes = strlen(message),
		.client = {.family = AF_INET, .bytes = {192, 0, 2, 1}},
		.helo = behavior,
		.mail_from = "someone@sender.example",
		.receiver = "mx.example"};
}

static inline rt_status verify(const char *behavior, struct eds_verify_output *output)
{
	struct eds_verify_input input = input_for(behavior);

	return eds_verify(&ctx, &dns, &input, output);
}

static inline void assert_honest(const struct eds_verify_output *output)
{
	assert_int_equal(output->spf.code, EDS_SPF_FAIL);
	assert_string_equal(output->spf.domain, "sender.example");
	assert_int_equal(output->spf.tree_count, 1);
	assert_int_equal(output->spf_helo.code, EDS_SPF_NEUTRAL);
	assert_int_equal(output->dkim.count, 1);
	assert_int_equal(output->dkim.signatures[0].state, EDS_DKIM_VALID);
	assert_string_equal(output->dkim.failure, "");
}

static inline void assert_unharmed(void)
{
	struct eds_verify_output output;

	assert_int_equal(verify("honest", &output), RT_OK);
	assert_honest(&output);
}

static inline void find_helpers(void)
{
	char self[2048] = "";
	char *slash;

	assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	slash = strrchr(self, '/');
	*slash = '\0';
	snprintf(hostile_path, sizeof hostile_path, "%s/../support/hostile-verifier", self);
	snprintf(verifier_path, sizeof verifier_path, "%s/../../libexec/eds-verifier", self);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif

/* The sandbox with children that misbehave (tests/support/hostile-verifier.c). DNS is played by
 * this program: it defines the few calls of dns.h that the sandbox makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "functions/lib/sandbox/helper.h"
#include "functions/lib/sandbox/sandbox.h"
#include "functions/lib/sandbox/verifier.h"

enum {
	SILENCE_MS = 300,
	EVENT_MS = 10000,
	MESSAGES = 1000,
	PROCESSES_MAX = 16,
};

struct eds_dns {
	struct rt_ctx *ctx;
	const struct eds_dns_answer *known; /* handed out ahead */
	size_t known_count;
	unsigned asked;
	char last_name[EDS_DNS_NAME_MAX + 1];
	void (*watch)(struct eds_dns *dns); /* called when a question arrives */
	char seen[2048];                    /* what the watch saw */
	int report;                         /* where it says so */
};

/* A sanitizer needs more rights than a child has, and turns a crash into a report and an exit. */
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

	(void)self;
	return poll(&readable, 1, max_ms) > 0;
}

size_t eds_dns_answers(struct eds_dns *self, const struct eds_dns_answer **answers, size_t max)
{
	size_t count = self->known_count < max ? self->known_count : max;

	for (size_t i = 0; i < count; i++)
		answers[i] = &self->known[i];
	return count;
}

/* The processes whose parent is this one. */
static size_t children_of(pid_t parent, pid_t pids[PROCESSES_MAX])
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(folder)) != NULL && count < PROCESSES_MAX) {
		char path[300];
		int pid;
		int its_parent;
		FILE *file;

		snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
		file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
		if (file == NULL)
			continue;
		if (fscanf(file, "%d (%*[^)]) %*c %d", &pid, &its_parent) == 2 &&
			its_parent == parent)
			pids[count++] = pid;
		fclose(file);
	}
	closedir(folder);
	return count;
}

static size_t open_descriptors(pid_t pid, char *list, size_t size)
{
	char path[64];
	DIR *folder;
	struct dirent *entry;
	size_t count = 0;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	folder = opendir(path);
	list[0] = '\0';
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		snprintf(list + strlen(list), size - strlen(list), "%s ", entry->d_name);
	}
	if (folder != NULL)
		closedir(folder);
	return count;
}

static pid_t only_child_of(pid_t parent)
{
	pid_t pids[PROCESSES_MAX];

	assert_int_equal(children_of(parent, pids), 1);
	return pids[0];
}

static pid_t helper_pid(void)
{
	return only_child_of(getpid());
}

static int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	memset(&dns, 0, sizeof dns);
	ctx.arena = rt_arena_new();
	ctx.deadline_ms = rt_monotonic_ms() + EVENT_MS;
	dns.ctx = &ctx;
	message_fd = memfd_create("message", MFD_CLOEXEC);
	assert_int_equal(write(message_fd, message, strlen(message)), strlen(message));
	spec = (struct eds_helper_spec){
		.path = hostile_path, .confined = confined, .silence_ms = SILENCE_MS};
	eds_helper_use(EDS_HELPER_VERIFIER, &spec);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	eds_helper_use(EDS_HELPER_VERIFIER, NULL);
	close(message_fd);
	rt_arena_free(ctx.arena);
	return 0;
}

static struct eds_verify_input input_for(const char *behaviour)
{
	return (struct eds_verify_input){.message_fd = message_fd,
		.message_bytes = strlen(message),
		.client = {.family = AF_INET, .bytes = {192, 0, 2, 1}},
		.helo = behaviour,
		.mail_from = "someone@sender.example",
		.receiver = "mx.example"};
}

static rt_status verify(const char *behaviour, struct eds_verify_output *output)
{
	struct eds_verify_input input = input_for(behaviour);

	return eds_verify(&ctx, &dns, &input, output);
}

static void assert_honest(const struct eds_verify_output *output)
{
	assert_int_equal(output->spf.code, EDS_SPF_FAIL);
	assert_string_equal(output->spf.domain, "sender.example");
	assert_int_equal(output->spf.tree_count, 1);
	assert_int_equal(output->spf_helo.code, EDS_SPF_NEUTRAL);
	assert_int_equal(output->dkim.count, 1);
	assert_int_equal(output->dkim.signatures[0].state, EDS_DKIM_VALID);
	assert_string_equal(output->dkim.failure, "");
}

static void assert_unharmed(void)
{
	struct eds_verify_output output;

	assert_int_equal(verify("honest", &output), RT_OK);
	assert_honest(&output);
}

static void assert_spf_lost(const struct eds_verify_output *output, const char *code)
{
	assert_int_equal(output->spf.code, EDS_SPF_TEMPERROR);
	assert_string_equal(output->spf.domain, "sender.example");
	assert_string_equal(output->spf.reason_code, code);
	assert_int_equal(output->spf_helo.code, EDS_SPF_TEMPERROR);
	assert_string_equal(output->spf_helo.reason_code, code);
	assert_int_equal(output->spf.tree_count, 0);
}

static void assert_dkim_lost(const struct eds_verify_output *output, const char *what)
{
	assert_int_equal(output->dkim.count, 0);
	assert_non_null(strstr(output->dkim.failure, what));
}

/* Misbehaves in every child: nothing is known afterwards but why. */
static void assert_all_lost(const char *behaviour, const char *code, const char *what)
{
	struct eds_verify_output output;

	assert_int_equal(verify(behaviour, &output), RT_OK);
	assert_spf_lost(&output, code);
	assert_dkim_lost(&output, what);
	assert_unharmed();
}

/* Misbehaves once SPF is reported. */
static void assert_only_dkim_lost(const char *behaviour, const char *what)
{
	struct eds_verify_output output;

	assert_int_equal(verify(behaviour, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_NEUTRAL);
	assert_dkim_lost(&output, what);
	assert_unharmed();
}

static void an_honest_child_is_believed(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("honest", &output), RT_OK);
	assert_honest(&output);
}

static void the_child_reads_the_message_from_its_descriptor(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("show-message", &output), RT_OK);
	assert_string_equal(output.dkim.signatures[0].identity, message);
}

static void an_empty_message_is_verified_too(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("show-message");

	(void)state;
	assert_int_equal(ftruncate(message_fd, 0), 0);
	input.message_bytes = 0;
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_string_equal(output.dkim.signatures[0].identity, "");
}

static void without_a_client_address_spf_is_none(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("honest");

	(void)state;
	input.client.family = 0;
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_NONE);
	assert_string_equal(output.spf.domain, "sender.example");
	assert_int_equal(output.spf_helo.code, EDS_SPF_NONE);
	assert_int_equal(output.dkim.count, 1);
}

static void the_null_sender_has_one_identity(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("honest");

	(void)state;
	input.mail_from = "";
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_FAIL);
}

static void a_question_is_answered(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("ask");

	(void)state;
	input.receiver = "Key.Sender.Example.";
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_string_equal(output.dkim.failure, "answered");
	assert_string_equal(dns.last_name, "key.sender.example");
	assert_int_equal(dns.asked, 1);
}

static void what_is_known_already_is_not_asked(void **state)
{
	struct eds_dns_record record = {.txt = "known", .txt_length = 5};
	const struct eds_dns_answer known[] = {
		{.name = "other.example", .type = EDS_DNS_TXT, .state = EDS_DNS_NO_NAME},
		{.name = "key.example", .type = EDS_DNS_A, .state = EDS_DNS_NO_DATA},
		{.name = "key.example", .type = EDS_DNS_TXT, .records = &record, .count = 1},
	};
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("ask");

	(void)state;
	dns.known = known;
	dns.known_count = 3;
	input.receiver = "KEY.example";
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_string_equal(output.dkim.failure, "known");
	assert_int_equal(dns.asked, 0);
}

static void more_answers_than_the_socket_holds_are_handed_over(void **state)
{
	static struct eds_dns_answer known[EDS_DNS_QUERIES_MAX];
	struct eds_dns_record record = {.txt = message, .txt_length = 26};
	static char text[4000];
	struct eds_verify_output output;

	(void)state;
	memset(text, 'x', sizeof text);
	record.txt = text;
	record.txt_length = sizeof text;
	for (size_t i = 0; i < EDS_DNS_QUERIES_MAX; i++)
		known[i] = (struct eds_dns_answer){.name = rt_printf(&ctx, "n%zu.example", i),
			.type = EDS_DNS_TXT,
			.records = &record,
			.count = 1};
	dns.known = known;
	dns.known_count = EDS_DNS_QUERIES_MAX;
	assert_int_equal(verify("honest", &output), RT_OK);
	assert_honest(&output);
}

static void a_crash_is_a_finding_and_earlier_results_stay(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_all_lost("crash", "verifier-crashed", "crashed (Segmentation fault)");
	assert_only_dkim_lost("crash-in-dkim", "crashed (Segmentation fault)");
	assert_int_equal(verify("crash-when-done", &output), RT_OK);
	assert_honest(&output);
}

static void after_a_crash_in_spf_the_signatures_are_checked_all_the_same(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("crash-in-spf", &output), RT_OK);
	assert_spf_lost(&output, "verifier-crashed");
	assert_int_equal(output.dkim.count, 1);
	assert_int_equal(verify("crash-in-helo", &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_TEMPERROR);
	assert_int_equal(output.dkim.count, 1);
}

static void a_failed_assertion_is_a_crash_and_no_violation(void **state)
{
	(void)state;
	assert_all_lost("fail-assertion", "verifier-crashed", "crashed (Aborted)");
	assert_all_lost("overflow-stack", "verifier-crashed", "crashed (Segmentation fault)");
}

static void a_child_that_leaves_early_is_a_finding(void **state)
{
	(void)state;
	assert_all_lost("leave", "verifier-crashed", "ended before it was complete");
}

static void memory_is_limited(void **state)
{
	(void)state;
	spec.silence_ms = EVENT_MS; /* it takes a moment */
	assert_all_lost("eat-memory", "verifier-crashed", "crashed (Segmentation fault)");
}

static void a_hanging_child_is_killed(void **state)
{
	struct eds_verify_output output;
	int64_t begin_ms = rt_monotonic_ms();

	(void)state;
	assert_all_lost("hang", "verifier-hung", "did not come to an end");
	assert_all_lost("spin", "verifier-hung", "did not come to an end");
	assert_int_equal(verify("hang-in-spf", &output), RT_OK);
	assert_spf_lost(&output, "verifier-hung");
	assert_int_equal(output.dkim.count, 1);
	assert_true(rt_monotonic_ms() - begin_ms < 5 * SILENCE_MS + 2000);
}

static void a_child_that_does_not_end_is_killed(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_all_lost("hide", "verifier-crashed", "crashed (Killed)");
	assert_int_equal(verify("hang-when-done", &output), RT_OK);
	assert_honest(&output);
	assert_unharmed();
}

static void the_deadline_of_the_event_ends_a_child(void **state)
{
	struct eds_verify_output output;

	(void)state;
	ctx.deadline_ms = rt_monotonic_ms() + SILENCE_MS / 3;
	assert_int_equal(verify("hang", &output), RT_OK);
	assert_spf_lost(&output, "out-of-time");
	assert_dkim_lost(&output, "was not complete when its time ran out");
	ctx.deadline_ms = rt_monotonic_ms() + EVENT_MS;
	assert_unharmed();
}

static void the_deadline_ends_a_wait_for_dns(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("ask");

	(void)state;
	input.receiver = "never.example";
	ctx.deadline_ms = rt_monotonic_ms() + SILENCE_MS / 3;
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_spf_lost(&output, "out-of-time");
}

static void a_slow_answer_does_not_count_as_silence(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("ask");

	(void)state;
	input.receiver = "never.example";
	ctx.deadline_ms = rt_monotonic_ms() + 2 * SILENCE_MS;
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_spf_lost(&output, "out-of-time");
	assert_true(rt_monotonic_ms() >= ctx.deadline_ms);
}

/* Every include leads to the next one, the last to a pass; each takes a while. */
static const struct eds_dns_answer *answer_slowly(
	void *arg, const char *name, enum eds_dns_type type)
{
	struct timespec pause = {1, 0};
	struct eds_dns_record *record = rt_alloc(&ctx, sizeof *record);
	struct eds_dns_answer *answer = rt_alloc(&ctx, sizeof *answer);
	int number = atoi(name + 1);

	(void)arg;
	nanosleep(&pause, NULL);
	record->txt = number < 8 ? rt_printf(&ctx, "v=spf1 include:h%d.example -all", number + 1)
				 : "v=spf1 +all";
	record->txt_length = strlen(record->txt);
	*answer = (struct eds_dns_answer){.name = rt_strdup(&ctx, name),
		.type = type,
		.state = EDS_DNS_FOUND,
		.reason = "",
		.canonical = rt_strdup(&ctx, name),
		.records = record,
		.count = 1};
	return answer;
}

static void keep_spf(void *arg, enum eds_frame_kind kind, const struct eds_spf_result *result)
{
	assert_int_equal(kind, EDS_FRAME_SPF_HELO);
	*(struct eds_spf_result *)arg = *result;
}

static void the_name_of_helo_may_not_use_up_the_time_of_a_signature(void **state)
{
	const struct eds_lookup lookup = {.get = answer_slowly};
	struct eds_spf_result result = {.code = EDS_SPF_NONE};
	const struct eds_verifier_report report = {.spf = keep_spf, .arg = &result};
	struct eds_verify_task task = {.stages = EDS_STAGE_SPF_HELO,
		.deadline_ms = rt_monotonic_ms() + 25000,
		.helo = "h0.example",
		.mail_from = "a@b.example",
		.receiver = "r.example"};

	(void)state;
	ctx.deadline_ms = task.deadline_ms;
	assert_true(rt_ip_parse("192.0.2.1", &task.client));
	eds_verifier_run(&ctx, &lookup, &task, message, strlen(message), &report);
	assert_int_equal(result.code, EDS_SPF_TEMPERROR);
}

static void a_flood_of_questions_is_cut_off(void **state)
{
	(void)state;
	assert_all_lost("ask-for-ever", "verifier-flooded", "asked too many DNS questions");
	assert_true(dns.asked <= 4 * EDS_DNS_QUERIES_MAX);
}

static void lies_are_findings(void **state)
{
	static const char *const lies[] = {"talk-while-asking", "claim-a-huge-frame",
		"cut-a-frame-short", "say-an-unknown-kind", "say-an-unknown-code",
		"ask-for-an-unknown-type", "be-done-without-results"};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
		assert_all_lost(lies[i], "verifier-lied", "makes no sense");
}

static void lies_about_signatures_are_findings(void **state)
{
	(void)state;
	assert_only_dkim_lost("report-eleven-signatures", "makes no sense");
	assert_only_dkim_lost("report-valid-without-domain", "makes no sense");
	assert_only_dkim_lost("talk-for-ever", "makes no sense");
}

static void a_repeated_result_does_not_replace_the_first(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("repeat-a-result", &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_TEMPERROR);
	assert_string_equal(output.spf_helo.reason_code, "verifier-lied");
}

static void a_forbidden_call_is_a_violation(void **state)
{
	static const char *const calls[] = {"open-file", "open-socket", "fork", "kill-parent",
		"abort-helper", "stop-itself", "trace", "execute", "map-code", "map-file",
		"make-code", "raise-limit"};
	struct eds_verify_output output;

	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		if (verify(calls[i], &output) != RT_INTERNAL)
			fail_msg("%s is allowed", calls[i]);
		assert_string_equal(ctx.failure.code, "sandbox-violation");
		rt_fail_clear(&ctx);
		assert_unharmed();
	}
}

static void unconfined_children_may_do_what_they_like(void **state)
{
	struct eds_verify_output output;

	(void)state;
	spec.confined = false;
	assert_int_equal(verify("open-file", &output), RT_OK);
	assert_honest(&output);
}

static void a_missing_helper_is_reported(void **state)
{
	struct eds_verify_output output;

	(void)state;
	spec.path = "/nowhere/eds-verifier";
	assert_int_equal(verify("honest", &output), RT_INTERNAL);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
}

static void a_program_that_is_no_helper_is_reported(void **state)
{
	struct eds_verify_output output;

	(void)state;
	spec.path = "/bin/true";
	assert_int_equal(verify("honest", &output), RT_INTERNAL);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
}

static void a_killed_helper_is_replaced(void **state)
{
	pid_t first;

	(void)state;
	assert_unharmed();
	first = helper_pid();
	kill(first, SIGKILL);
	assert_unharmed();
	assert_int_not_equal(helper_pid(), first);
}

static void kill_helper(struct eds_dns *self)
{
	self->watch = NULL;
	kill(helper_pid(), SIGKILL);
}

static void a_helper_killed_under_a_message_is_replaced(void **state)
{
	struct eds_verify_output output;

	(void)state;
	dns.watch = kill_helper;
	assert_int_equal(verify("ask", &output), RT_OK);
	assert_string_equal(output.dkim.failure, "answered");
}

static void look_at_child(struct eds_dns *self)
{
	char descriptors[128];
	pid_t child = only_child_of(helper_pid());
	char path[64];
	char octet;
	FILE *environment;

	snprintf(path, sizeof path, "/proc/%d/environ", (int)child);
	environment = fopen(path, "r");
	assert_non_null(environment);
	assert_int_equal(fread(&octet, 1, 1, environment), 0);
	fclose(environment);
	open_descriptors(child, descriptors, sizeof descriptors);
	snprintf(self->seen, sizeof self->seen, "%s", descriptors);
}

static void a_child_has_two_descriptors_and_no_environment(void **state)
{
	struct eds_verify_output output;

	(void)state;
	setenv("EDS_SECRET", "not for children", 1);
	dns.watch = look_at_child;
	assert_int_equal(verify("ask", &output), RT_OK);
	assert_string_equal(dns.seen, "3 4 ");
}

static void the_helper_has_one_descriptor(void **state)
{
	char descriptors[128];

	(void)state;
	assert_unharmed();
	open_descriptors(helper_pid(), descriptors, sizeof descriptors);
	assert_string_equal(descriptors, "3 ");
}

static void a_thousand_messages_leave_nothing_behind(void **state)
{
	static const char *const behaviours[] = {"honest", "crash", "ask", "leave"};
	pid_t pids[PROCESSES_MAX];
	char list[1024];
	size_t before;
	pid_t helper;

	(void)state;
	assert_unharmed();
	helper = helper_pid();
	before = open_descriptors(getpid(), list, sizeof list);
	for (int i = 0; i < MESSAGES; i++) {
		struct eds_verify_output output;

		ctx.deadline_ms = rt_monotonic_ms() + EVENT_MS;
		assert_int_equal(verify(behaviours[i % 4], &output), RT_OK);
		rt_arena_reset(ctx.arena);
	}
	assert_int_equal(open_descriptors(getpid(), list, sizeof list), before);
	assert_int_equal(helper_pid(), helper);
	assert_int_equal(children_of(helper, pids), 0);
	assert_int_equal(open_descriptors(helper, list, sizeof list), 1);
}

static bool gone_within(pid_t pid, int ms)
{
	for (int i = 0; i < ms; i++) {
		if (kill(pid, 0) != 0)
			return true;
		usleep(1000);
	}
	return false;
}

/* A process that starts a helper with a child, says who they are, and dies. */
static void say_processes_and_die(struct eds_dns *self)
{
	pid_t pids[2] = {helper_pid(), only_child_of(helper_pid())};

	assert_int_equal(write(self->report, pids, sizeof pids), sizeof pids);
	kill(getpid(), SIGKILL);
}

static void helper_and_child_end_with_their_function(void **state)
{
	pid_t pids[2] = {0, 0};
	int report[2];
	pid_t function;

	(void)state;
	assert_int_equal(pipe(report), 0);
	function = fork();
	if (function == 0) {
		struct eds_verify_output output;

		dns.watch = say_processes_and_die;
		dns.report = report[1];
		(void)!verify("ask", &output);
		_exit(1);
	}
	close(report[1]);
	assert_int_equal(read(report[0], pids, sizeof pids), sizeof pids);
	waitpid(function, NULL, 0);
	close(report[0]);
	assert_true(gone_within(pids[0], 2000));
	assert_true(gone_within(pids[1], 2000));
}

static const char signed_message[] =
	"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=sender.example; s=s1; h=from;\r\n"
	"\tbh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=YWJjZA==\r\n"
	"From: someone@sender.example\r\n\r\nNot what was signed.\r\n";

static const char public_key[] =
	"v=DKIM1; k=rsa; p="
	"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArjvC+ZuhMGIgHTfxvvjT4NolQip6"
	"OV5UvFKfR1wtc4Qk/uXDTJKwkFQOkGTkCTqhtGxU7UhlGVxsKvLvEgf4wiAj26VTmjE3Go+q"
	"PovjGzMBJD3A5rUBEZlOrHhfs7w9CPOCc71BDaszT09Qa0eoSq1x2rGvw9R6+h2y5eey3awM"
	"ZR5dm+kw7seCu/rv+tZGVsyOhagGuBRnZOeK/RDBd7tdOQev5aN5hBMUnaui2laWi/s6slsY"
	"QeVX2eB0SQcluzogMiXvA0f5GMJaMtaHFKnnTWg31/o5MCdP6Po5xdnkWTDNRzw8uMcXY9jN"
	"kq8+CnU7fyBqtcoPguWETzFbCwIDAQAB";

static void the_program_itself_verifies_under_its_filter(void **state)
{
	struct eds_dns_record spf = {.txt = "v=spf1 ip4:192.0.2.0/24 -all", .txt_length = 28};
	struct eds_dns_record key = {.txt = public_key, .txt_length = sizeof public_key - 1};
	const struct eds_dns_answer known[] = {
		{.name = "sender.example", .type = EDS_DNS_TXT, .records = &spf, .count = 1},
		{.name = "helo.example", .type = EDS_DNS_TXT, .state = EDS_DNS_NO_NAME},
		{.name = "s1._domainkey.sender.example",
			.type = EDS_DNS_TXT,
			.records = &key,
			.count = 1},
	};
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("helo.example");

	(void)state;
	spec.path = verifier_path;
	spec.silence_ms = EVENT_MS;
	dns.known = known;
	dns.known_count = 3;
	input.message_bytes = sizeof signed_message - 1;
	assert_int_equal(pwrite(message_fd, signed_message, input.message_bytes, 0),
		(ssize_t)input.message_bytes);
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_PASS);
	assert_string_equal(output.spf.domain, "sender.example");
	assert_int_equal(output.spf_helo.code, EDS_SPF_NONE);
	assert_string_equal(output.dkim.failure, "");
	assert_int_equal(output.dkim.count, 1);
	assert_int_equal(output.dkim.signatures[0].state, EDS_DKIM_INVALID);
	assert_string_equal(output.dkim.signatures[0].key_state, "found");
	assert_int_equal(output.dkim.signatures[0].body_hash, EDS_DKIM_HASH_MISMATCH);
	assert_int_equal(dns.asked, 0);
}

static void find_helpers(void)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_honest_child_is_believed),
		TEST(the_child_reads_the_message_from_its_descriptor),
		TEST(an_empty_message_is_verified_too),
		TEST(without_a_client_address_spf_is_none),
		TEST(the_null_sender_has_one_identity),
		TEST(a_question_is_answered),
		TEST(what_is_known_already_is_not_asked),
		TEST(more_answers_than_the_socket_holds_are_handed_over),
		TEST(a_child_that_leaves_early_is_a_finding),
		TEST(a_hanging_child_is_killed),
		TEST(a_child_that_does_not_end_is_killed),
		TEST(the_deadline_of_the_event_ends_a_child),
		TEST(the_deadline_ends_a_wait_for_dns),
		TEST(a_slow_answer_does_not_count_as_silence),
		TEST(the_name_of_helo_may_not_use_up_the_time_of_a_signature),
		TEST(a_flood_of_questions_is_cut_off),
		TEST(lies_are_findings),
		TEST(lies_about_signatures_are_findings),
		TEST(a_repeated_result_does_not_replace_the_first),
		TEST(unconfined_children_may_do_what_they_like),
		TEST(a_missing_helper_is_reported),
		TEST(a_program_that_is_no_helper_is_reported),
		TEST(a_killed_helper_is_replaced),
		TEST(a_helper_killed_under_a_message_is_replaced),
		TEST(helper_and_child_end_with_their_function),
		TEST(the_program_itself_verifies_under_its_filter),
	};
	const struct CMUnitTest confined_tests[] = {
		TEST(a_crash_is_a_finding_and_earlier_results_stay),
		TEST(after_a_crash_in_spf_the_signatures_are_checked_all_the_same),
		TEST(a_failed_assertion_is_a_crash_and_no_violation),
		TEST(memory_is_limited),
		TEST(a_forbidden_call_is_a_violation),
		TEST(a_child_has_two_descriptors_and_no_environment),
		TEST(the_helper_has_one_descriptor),
		TEST(a_thousand_messages_leave_nothing_behind),
	};

	int failed;

	find_helpers();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (confined)
		failed += cmocka_run_group_tests(confined_tests, NULL, NULL);
	return failed;
}

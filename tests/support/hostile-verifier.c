/* A helper program like libexec/eds-verifier whose children misbehave as the HELO of the task says.
 *
 * Forking, descriptors, limits and filter are the real ones: only the work of a confined child is
 * replaced, as if a hostile message had taken it over. A child that succeeds with a forbidden act
 * (forbidden-acts.h) crashes; if the act is refused, the child works honestly.
 *
 * With --overclaim as its first argument the helper claims that its children are filtered, whether
 * they are or not.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "functions/lib/sandbox/protocol-result.h"
#include "functions/lib/sandbox/protocol-shape.h"
#include "functions/lib/sandbox/verifier-lookup.h"
#include "functions/lib/sandbox/verifier.h"
#include "tests/support/forbidden-acts.h"

struct child {
	struct rt_ctx ctx;
	int data;
	struct eds_frame_reader reader;
	struct eds_verify_task task;
	struct eds_lookup lookup;
	const char *message;
	size_t length;
};

struct behavior {
	const char *helo;
	void (*act)(struct child *child);
};

static struct rt_buffer *frame_buffer(struct child *child)
{
	struct rt_buffer *out = rt_alloc(&child->ctx, sizeof *out);

	rt_buffer_init(out, &child->ctx, 2 * EDS_FRAME_BYTES_MAX);
	return out;
}

static void say_spf(struct child *child, enum eds_frame_kind kind, unsigned code)
{
	struct rt_buffer *out = frame_buffer(child);
	struct eds_spf_result spf = {.code = (enum eds_spf_code)code,
		.domain = "sender.example",
		.record = "v=spf1 -all",
		.tree_count = 1};

	spf.tree[0] = (struct eds_spf_node){
		.via = EDS_SPF_VIA_NONE, .domain = spf.domain, .record = spf.record};
	eds_put_spf(out, kind, &spf);
	eds_child_write(child->data, out);
}

static void say_honest_spf(struct child *child)
{
	if (child->task.stages & EDS_STAGE_SPF)
		say_spf(child, EDS_FRAME_SPF, EDS_SPF_FAIL);
	if (child->task.stages & EDS_STAGE_SPF_HELO)
		say_spf(child, EDS_FRAME_SPF_HELO, EDS_SPF_NEUTRAL);
}

static void say_dkim(struct child *child, const struct eds_dkim_result *dkim)
{
	struct rt_buffer *out = frame_buffer(child);

	eds_put_dkim(out, dkim);
	eds_child_write(child->data, out);
}

static struct eds_dkim_result valid_signature(void)
{
	struct eds_dkim_result dkim = {.count = 1, .total = 1};

	dkim.signatures[0] = (struct eds_dkim_signature){.state = EDS_DKIM_VALID,
		.domain = "sender.example",
		.selector = "s1",
		.body_hash = EDS_DKIM_HASH_MATCH,
		.header_hash = EDS_DKIM_HASH_MATCH};
	return dkim;
}

static void say_done(struct child *child)
{
	struct rt_buffer *out = frame_buffer(child);

	eds_put_done(out);
	eds_child_write(child->data, out);
}

static void say_bytes(struct child *child, const void *bytes, size_t length)
{
	struct rt_buffer *out = frame_buffer(child);

	rt_buffer_add(out, bytes, length);
	eds_child_write(child->data, out);
}

static void say_shape(struct child *child, const struct eds_shape *shape)
{
	struct rt_buffer *out = frame_buffer(child);

	eds_put_shape(out, shape);
	eds_child_write(child->data, out);
}

static struct eds_shape one_part(void)
{
	return (struct eds_shape){.failure = "",
		.parts = {{.type = "text/plain", .file = ""}},
		.part_count = 1,
		.has_text = true,
		.whole = true};
}

/* Sends the honest results, without the shape, which comes last. */
static void say_honest_results(struct child *child)
{
	struct eds_dkim_result dkim = valid_signature();

	say_honest_spf(child);
	if (child->task.stages & EDS_STAGE_DKIM)
		say_dkim(child, &dkim);
}

static void be_honest(struct child *child)
{
	struct eds_shape shape = one_part();

	say_honest_results(child);
	if (child->task.stages & EDS_STAGE_SHAPE)
		say_shape(child, &shape);
	say_done(child);
}

static void show_message(struct child *child)
{
	struct eds_dkim_result dkim = valid_signature();

	dkim.signatures[0].identity = rt_memdup(&child->ctx, child->message, child->length);
	say_honest_spf(child);
	say_dkim(child, &dkim);
	say_done(child);
}

/* Asks DNS the question in the HELO, and reports the reason in the answer as the failure of the
 * signatures. */
static void ask(struct child *child)
{
	const struct eds_dns_answer *answer = child->lookup.get(
		child->lookup.arg, child->task.receiver, EDS_DNS_TXT);
	struct eds_dkim_result dkim = {.failure = answer->reason};

	if (answer->count > 0)
		dkim.failure = answer->records[0].txt;
	say_honest_spf(child);
	say_dkim(child, &dkim);
	say_done(child);
}

/* Crashes by writing into the message, which is mapped only for reading. */
static void crash(struct child *child)
{
	*(volatile char *)(uintptr_t)child->message = 0;
}

static void fail_assertion(struct child *child)
{
	(void)child;
	abort();
}

static void overflow_stack(struct child *child)
{
	volatile char frame[4096];

	frame[0] = 1;
	if (child->length > 0)
		overflow_stack(child);
	frame[1] = frame[0];
}

static void crash_in_dkim(struct child *child)
{
	say_honest_spf(child);
	crash(child);
}

static void crash_in_dkim_alone(struct child *child)
{
	if (child->task.stages & EDS_STAGE_DKIM) {
		say_honest_spf(child);
		crash(child);
	}
	be_honest(child);
}

static void crash_in_shape(struct child *child)
{
	if (child->task.stages & EDS_STAGE_SHAPE) {
		say_honest_results(child);
		crash(child);
	}
	be_honest(child);
}

static void leave_in_shape(struct child *child)
{
	if (child->task.stages & EDS_STAGE_SHAPE) {
		say_honest_results(child);
		_exit(0);
	}
	be_honest(child);
}

static void open_file_in_shape(struct child *child)
{
	say_honest_results(child);
	if (act_open_file())
		crash(child);
}

static void crash_in_spf(struct child *child)
{
	if (child->task.stages & EDS_STAGE_SPF)
		crash(child);
	be_honest(child);
}

static void crash_in_helo(struct child *child)
{
	if (child->task.stages & EDS_STAGE_SPF) {
		say_spf(child, EDS_FRAME_SPF, EDS_SPF_FAIL);
		crash(child);
	}
	be_honest(child);
}

static void crash_when_done(struct child *child)
{
	be_honest(child);
	crash(child);
}

static void leave(struct child *child)
{
	(void)child;
	_exit(0);
}

static void hang(struct child *child)
{
	char octet;

	while (read(child->data, &octet, 1) >= 0)
		continue;
}

static void hang_in_shape(struct child *child)
{
	say_honest_results(child);
	hang(child);
}

/* Sends the DKIM result again after the shape, to test that a later result does not change an
 * earlier one. */
static void repeat_dkim_in_shape(struct child *child)
{
	struct eds_dkim_result none = {.failure = "not to be believed"};

	say_honest_results(child);
	say_dkim(child, &none);
	hang(child);
}

static void say_an_impossible_level(struct child *child)
{
	struct eds_shape shape = one_part();

	shape.parts[0].level = EDS_SHAPE_LEVELS_MAX + 1;
	say_honest_results(child);
	say_shape(child, &shape);
	hang(child);
}

static void hang_in_spf(struct child *child)
{
	if (child->task.stages & EDS_STAGE_SPF)
		hang(child);
	be_honest(child);
}

static void spin(struct child *child)
{
	volatile bool always = child != NULL;

	while (always)
		continue;
}

static void hang_when_done(struct child *child)
{
	be_honest(child);
	spin(child);
}

/* Closes its socket to the helper, but does not end. */
static void hide(struct child *child)
{
	close(child->data);
	spin(child);
}

static void eat_memory(struct child *child)
{
	for (;;) {
		char *piece = malloc(1024 * 1024);

		if (piece == NULL)
			break;
		memset(piece, 1, 1024 * 1024);
	}
	crash(child);
}

static void ask_for_ever(struct child *child)
{
	for (unsigned i = 0;; i++)
		child->lookup.get(
			child->lookup.arg, rt_printf(&child->ctx, "q%u.example", i), EDS_DNS_TXT);
}

/* Sends results without end, and never DONE. */
static void talk_for_ever(struct child *child)
{
	for (;;)
		say_honest_spf(child);
}

static void talk_while_asking(struct child *child)
{
	struct rt_buffer *out = frame_buffer(child);

	eds_put_question(out, "never.example", EDS_DNS_TXT);
	eds_child_write(child->data, out);
	be_honest(child);
	hang(child);
}

static void claim_a_huge_frame(struct child *child)
{
	const uint32_t header[2] = {0xffffffff, EDS_FRAME_SPF};

	say_bytes(child, header, sizeof header);
	hang(child);
}

static void cut_a_frame_short(struct child *child)
{
	const uint32_t header[2] = {1000, EDS_FRAME_SPF};

	say_bytes(child, header, sizeof header);
}

static void say_an_unknown_kind(struct child *child)
{
	const uint32_t header[2] = {0, 99};

	say_bytes(child, header, sizeof header);
	hang(child);
}

static void say_an_unknown_code(struct child *child)
{
	say_spf(child, EDS_FRAME_SPF, 99);
	hang(child);
}

static void ask_for_an_unknown_type(struct child *child)
{
	struct rt_buffer *out = frame_buffer(child);

	eds_put_question(out, "a.example", (enum eds_dns_type)252);
	eds_child_write(child->data, out);
	hang(child);
}

static void repeat_a_result(struct child *child)
{
	say_spf(child, EDS_FRAME_SPF, EDS_SPF_FAIL);
	say_spf(child, EDS_FRAME_SPF, EDS_SPF_NEUTRAL);
	hang(child);
}

static void be_done_without_results(struct child *child)
{
	say_done(child);
	hang(child);
}

static void report_eleven_signatures(struct child *child)
{
	const uint32_t payload[3] = {11, 0, 11};
	const uint32_t header[2] = {sizeof payload, EDS_FRAME_DKIM};

	say_honest_spf(child);
	say_bytes(child, header, sizeof header);
	say_bytes(child, payload, sizeof payload);
	hang(child);
}

static void report_valid_without_domain(struct child *child)
{
	struct eds_dkim_result dkim = valid_signature();

	dkim.signatures[0].domain = "";
	say_honest_spf(child);
	say_dkim(child, &dkim);
	hang(child);
}

static void kill_parent(struct child *child)
{
	syscall(SYS_kill, getppid(), 0);
	be_honest(child);
}

static void abort_helper(struct child *child)
{
	syscall(SYS_tgkill, 1, 1, SIGABRT);
	be_honest(child);
}

static void stop_itself(struct child *child)
{
	syscall(SYS_tgkill, getpid(), getpid(), SIGSTOP);
	be_honest(child);
}

static void trace(struct child *child)
{
	syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL);
	be_honest(child);
}

static void execute(struct child *child)
{
	syscall(SYS_execve, "/bin/true", NULL, NULL);
	be_honest(child);
}

static void map_code(struct child *child)
{
	syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	be_honest(child);
}

static void map_file(struct child *child)
{
	syscall(SYS_mmap, NULL, 4096, PROT_READ, MAP_SHARED, EDS_CHILD_MESSAGE_FD, 0);
	be_honest(child);
}

static void make_code(struct child *child)
{
	syscall(SYS_mprotect, child->message, 4096, PROT_READ | PROT_EXEC);
	be_honest(child);
}

static const struct behavior behaviors[] = {
	{"honest", be_honest},
	{"show-message", show_message},
	{"ask", ask},
	{"crash", crash},
	{"fail-assertion", fail_assertion},
	{"overflow-stack", overflow_stack},
	{"crash-in-spf", crash_in_spf},
	{"crash-in-helo", crash_in_helo},
	{"crash-in-dkim", crash_in_dkim},
	{"crash-in-dkim-alone", crash_in_dkim_alone},
	{"crash-in-shape", crash_in_shape},
	{"leave-in-shape", leave_in_shape},
	{"hang-in-shape", hang_in_shape},
	{"open-file-in-shape", open_file_in_shape},
	{"repeat-dkim-in-shape", repeat_dkim_in_shape},
	{"say-an-impossible-level", say_an_impossible_level},
	{"crash-when-done", crash_when_done},
	{"leave", leave},
	{"hang", hang},
	{"hang-in-spf", hang_in_spf},
	{"hang-when-done", hang_when_done},
	{"spin", spin},
	{"hide", hide},
	{"eat-memory", eat_memory},
	{"ask-for-ever", ask_for_ever},
	{"talk-for-ever", talk_for_ever},
	{"talk-while-asking", talk_while_asking},
	{"claim-a-huge-frame", claim_a_huge_frame},
	{"cut-a-frame-short", cut_a_frame_short},
	{"say-an-unknown-kind", say_an_unknown_kind},
	{"say-an-unknown-code", say_an_unknown_code},
	{"ask-for-an-unknown-type", ask_for_an_unknown_type},
	{"repeat-a-result", repeat_a_result},
	{"be-done-without-results", be_done_without_results},
	{"report-eleven-signatures", report_eleven_signatures},
	{"report-valid-without-domain", report_valid_without_domain},
	{"kill-parent", kill_parent},
	{"abort-helper", abort_helper},
	{"stop-itself", stop_itself},
	{"trace", trace},
	{"execute", execute},
	{"map-code", map_code},
	{"map-file", map_file},
	{"make-code", make_code},
};

static void read_task(struct child *child)
{
	struct eds_verifier_lookup *lookup;
	struct eds_wire payload;
	uint32_t kind;

	eds_frame_reader_init(&child->reader, &child->ctx, child->data);
	lookup = eds_verifier_lookup_new(&child->ctx, &child->reader);
	if (eds_frame_read(&child->reader, &kind, &payload) != EDS_FRAME_WHOLE ||
		!eds_get_task(&child->ctx, &payload, &child->task) ||
		!eds_verifier_lookup_ahead(lookup, child->task.answers))
		_exit(EDS_CHILD_EXIT_ALONE);
	child->lookup = eds_verifier_lookup_view(lookup);
}

static void misbehave(int data, const char *message, size_t length)
{
	struct child child = {.data = data, .message = message, .length = length};

	child.ctx.arena = rt_arena_new();
	read_task(&child);
	for (size_t i = 0; i < sizeof behaviors / sizeof behaviors[0]; i++)
		if (strcmp(behaviors[i].helo, child.task.helo) == 0)
			behaviors[i].act(&child);
	if (!is_act(child.task.helo, strlen(child.task.helo)))
		return;
	if (act_succeeds(child.task.helo, strlen(child.task.helo)))
		crash(&child);
	be_honest(&child);
}

static void stay_cold(void)
{
}

static bool overclaims;

/* Replaces the C library's function, to change the level that the helper reports; the level is the
 * only message of this length. */
ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
	static const uint32_t filter = EDS_LEVEL_FILTER;

	if (overclaims && fd == EDS_HELPER_CONTROL_FD && length == sizeof filter)
		bytes = &filter;
	return syscall(SYS_sendto, fd, bytes, length, flags, NULL, 0);
}

int main(int argc, char **argv)
{
	attacked_function = getppid();
	overclaims = argc > 1 && strcmp(argv[1], "--overclaim") == 0;
	return eds_helper_main(argc - overclaims, argv + overclaims, stay_cold, misbehave);
}

#include "functions/lib/sandbox/conversation.h"
#include "runtime/time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/sandbox/serve.h"
#include "runtime/counts.h"

enum {
	KILL_WAIT_MS = 2000,    /* the helper must report the end of a killed child within this
				 * time */
	HELPER_SLACK_MS = 1000, /* the helper kills the child this long after the deadline */
};

static void wait_for_socket(void *arg, int socket, int max_ms)
{
	struct pollfd readable = {.fd = socket, .events = POLLIN};

	(void)arg;
	poll(&readable, 1, max_ms);
}

static enum eds_child_end counted(enum eds_child_end end)
{
	static const enum rt_count counts[] = {
		[EDS_CHILD_DIED] = RT_COUNT_CHILD_DIED,
		[EDS_CHILD_HUNG] = RT_COUNT_CHILD_HUNG,
		[EDS_CHILD_FLOODED] = RT_COUNT_CHILD_FLOODED,
		[EDS_CHILD_LIED] = RT_COUNT_CHILD_LIED,
		[EDS_CHILD_VIOLATED] = RT_COUNT_CHILD_VIOLATED,
		[EDS_CHILD_UNCONFINED] = RT_COUNT_CHILD_UNCONFINED,
		[EDS_CHILD_NO_HELPER] = RT_COUNT_CHILD_NO_HELPER,
		[EDS_CHILD_DEADLINE] = RT_COUNT_CHILD_DEADLINE,
	};

	if (end != EDS_CHILD_GOES_ON && end != EDS_CHILD_DONE)
		rt_count(counts[end]);
	return end;
}

static void count_level(enum eds_level level)
{
	static const enum rt_count counts[] = {
		[EDS_LEVEL_NONE] = RT_COUNT_CHILD_AT_NONE,
		[EDS_LEVEL_LIMITS] = RT_COUNT_CHILD_AT_LIMITS,
		[EDS_LEVEL_FILTER] = RT_COUNT_CHILD_AT_FILTER,
	};

	rt_count(counts[level]);
}

bool eds_conversation_open(struct eds_conversation *c, struct rt_ctx *ctx, enum eds_helper helper)
{
	const struct eds_helper_spec *spec = eds_helper_spec(helper);

	*c = (struct eds_conversation){
		.ctx = ctx, .helper = helper, .socket = -1, .wait = wait_for_socket};
	if (spec == NULL) {
		counted(EDS_CHILD_NO_HELPER);
		return false;
	}
	c->silence_ms = spec->silence_ms;
	c->heard_ms = rt_monotonic_ms();
	return true;
}

/* Milliseconds to wait for the child; 0 when *end holds a reason to stop waiting.
 */
static int patience_ms(const struct eds_conversation *c, enum eds_child_end *end)
{
	int64_t quiet_ms = c->silence_ms - (rt_monotonic_ms() - c->heard_ms);
	int left_ms = rt_remaining_ms(c->ctx);

	*end = EDS_CHILD_GOES_ON;
	if (left_ms == 0)
		*end = EDS_CHILD_DEADLINE;
	else if (quiet_ms <= 0)
		*end = EDS_CHILD_HUNG;
	if (*end != EDS_CHILD_GOES_ON)
		return 0;
	return quiet_ms < left_ms ? (int)quiet_ms : left_ms;
}

/* Sends what the socket takes now. Ignores errors: a child that no longer listens is noticed on the
 * next read.
 */
static void send_some(struct eds_conversation *c)
{
	while (c->sent < c->out.length) {
		ssize_t sent = send(c->socket, c->out.bytes + c->sent, c->out.length - c->sent,
			MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent < 0 && errno != EINTR)
			c->sent = c->out.length;
		if (sent > 0)
			c->sent += (size_t)sent;
	}
}

static enum eds_child_end send_rest(struct eds_conversation *c)
{
	struct pollfd writable = {.fd = c->socket, .events = POLLOUT};

	for (;;) {
		enum eds_child_end end;
		int wait_ms = patience_ms(c, &end);

		if (end != EDS_CHILD_GOES_ON)
			return end;
		send_some(c);
		if (c->sent == c->out.length)
			return EDS_CHILD_GOES_ON;
		poll(&writable, 1, wait_ms);
	}
}

enum eds_child_end eds_conversation_send(struct eds_conversation *c)
{
	c->sent = 0;
	c->heard_ms = rt_monotonic_ms();
	return send_rest(c);
}

static bool open_pair(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	if (fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0)
		return true;
	close(pair[0]);
	close(pair[1]);
	return false;
}

/* Fills the socket before the child exists, so that the child need not wait for its input. */
enum eds_child_end eds_conversation_start(struct eds_conversation *c, int message_fd)
{
	int pair[2];
	bool asked;

	if (!open_pair(pair))
		return EDS_CHILD_NO_HELPER;
	c->socket = pair[0];
	eds_frame_reader_init(&c->reader, c->ctx, c->socket);
	send_some(c);
	asked = eds_helper_run(
		c->helper, pair[1], message_fd, rt_remaining_ms(c->ctx) + HELPER_SLACK_MS);
	close(pair[1]);
	c->level = eds_helper_level(c->helper);
	if (asked)
		count_level(c->level);
	c->heard_ms = rt_monotonic_ms(); /* the child's silence is measured from now on, because the
					  * start of a helper can take time */
	return asked ? send_rest(c) : EDS_CHILD_NO_HELPER;
}

static enum eds_child_end wait_for_child(struct eds_conversation *c)
{
	enum eds_child_end end;
	int wait_ms = patience_ms(c, &end);

	if (end == EDS_CHILD_GOES_ON)
		c->wait(c->arg, c->socket, wait_ms);
	return end;
}

enum eds_child_end eds_conversation_hear(
	struct eds_conversation *c, uint32_t *kind, struct eds_wire *payload)
{
	enum eds_child_end end = EDS_CHILD_GOES_ON;

	while (end == EDS_CHILD_GOES_ON) {
		switch (eds_frame_read(&c->reader, kind, payload)) {
		case EDS_FRAME_WHOLE:
			c->heard_ms = rt_monotonic_ms();
			c->heard = true;
			return EDS_CHILD_GOES_ON;
		case EDS_FRAME_AGAIN:
			end = wait_for_child(c);
			break;
		case EDS_FRAME_ENDED:
			return EDS_CHILD_DIED;
		case EDS_FRAME_BAD:
			return EDS_CHILD_LIED;
		}
	}
	return end;
}

/* Waits for the end of the child. A child that is done or dying gets time to end by itself; it is
 * killed if it does not, and so is any other child. False when the helper does not report the end;
 * the helper is then ended, too. */
static bool child_ended(
	struct eds_conversation *c, enum eds_child_end end, struct eds_helper_report *report)
{
	bool by_itself = end == EDS_CHILD_DONE || end == EDS_CHILD_DIED;
	enum eds_child_end ignored;

	if (by_itself && eds_helper_wait(c->helper, patience_ms(c, &ignored), report))
		return true;
	eds_helper_stop_child(c->helper);
	if (eds_helper_wait(c->helper, KILL_WAIT_MS, report))
		return true;
	eds_helper_end(c->helper);
	return false;
}

/* True when the child reported a level below the required one. A child that was killed before it
 * could report is not counted as unconfined. */
static bool is_unconfined(const struct eds_conversation *c, enum eds_child_end end,
	const struct eds_helper_report *report)
{
	return report->level < c->level &&
		(c->heard || end == EDS_CHILD_DONE || end == EDS_CHILD_DIED);
}

static enum eds_child_end judge(const struct eds_conversation *c, enum eds_child_end end,
	const struct eds_helper_report *report)
{
	int wait_status = report->wait_status;

	if (wait_status == -1)
		return c->heard || end == EDS_CHILD_DIED ? EDS_CHILD_NO_HELPER : end;
	if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGSYS)
		return EDS_CHILD_VIOLATED;
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == EDS_CHILD_EXIT_UNCONFINED)
		return EDS_CHILD_UNCONFINED;
	return is_unconfined(c, end, report) ? EDS_CHILD_UNCONFINED : end;
}

enum eds_child_end eds_conversation_close(
	struct eds_conversation *c, enum eds_child_end end, int *wait_status)
{
	struct eds_helper_report report = {.wait_status = -1, .level = EDS_LEVEL_NONE};

	*wait_status = -1;
	if (c->socket >= 0)
		close(c->socket);
	if (end == EDS_CHILD_NO_HELPER)
		return counted(end);
	if (!child_ended(c, end, &report))
		report = (struct eds_helper_report){.wait_status = -1};
	*wait_status = report.wait_status;
	return counted(judge(c, end, &report));
}

rt_status eds_conversation_trouble(
	struct rt_ctx *ctx, enum eds_helper helper, enum eds_child_end end, const char *what)
{
	switch (end) {
	case EDS_CHILD_VIOLATED:
		return rt_fail(ctx, RT_INTERNAL, "sandbox-violation",
			"the %s tried an operation that the sandbox forbids", what);
	case EDS_CHILD_UNCONFINED:
		return rt_fail(ctx, RT_INTERNAL, "sandbox-unavailable",
			"the program for the %s is not confined", what);
	case EDS_CHILD_NO_HELPER:
		return rt_fail(ctx, RT_TEMPORARY, "sandbox-unavailable",
			"the program for the %s could not be started (%s)", what,
			eds_helper_reason(ctx, helper));
	default:
		return RT_OK;
	}
}

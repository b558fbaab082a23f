#include "functions/lib/sandbox/conversation.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/sandbox/ahead.h"
#include "functions/lib/sandbox/helper.h"
#include "functions/lib/sandbox/verifier.h"

enum {
	GOES_ON = -1,           /* beside enum eds_child_end: not ended yet */
	KILL_WAIT_MS = 2000,    /* for the helper to report a child that it was told to kill */
	HELPER_SLACK_MS = 1000, /* past the deadline the helper kills the child unasked */
};

struct conversation {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	struct eds_child_run *run;
	struct eds_verify_output *output;
	int socket;
	int silence_ms;
	int64_t heard_ms; /* when the child last had something from us or for us */
	unsigned questions;
	struct eds_frame_reader reader;
	struct rt_buffer out;
	size_t sent; /* of out */
};

/* Milliseconds that may be waited for the child; 0 when there is a reason in *end to wait no more.
 */
static int patience_ms(const struct conversation *c, int *end)
{
	int64_t quiet_ms = c->silence_ms - (rt_monotonic_ms() - c->heard_ms);
	int left_ms = rt_remaining_ms(c->ctx);

	*end = GOES_ON;
	if (left_ms == 0)
		*end = EDS_CHILD_DEADLINE;
	else if (quiet_ms <= 0)
		*end = EDS_CHILD_HUNG;
	if (*end != GOES_ON)
		return 0;
	return quiet_ms < left_ms ? (int)quiet_ms : left_ms;
}

/* Sends what the socket takes now. A child that does not listen any more is found out by reading.
 */
static void send_some(struct conversation *c)
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

/* Sends the rest, at the child's pace: whatever is sent here it reads before it speaks. */
static int send_rest(struct conversation *c)
{
	struct pollfd writable = {.fd = c->socket, .events = POLLOUT};

	for (;;) {
		int end;
		int wait_ms = patience_ms(c, &end);

		if (end != GOES_ON)
			return end;
		send_some(c);
		if (c->sent == c->out.length)
			return GOES_ON;
		poll(&writable, 1, wait_ms);
	}
}

struct pending {
	const struct eds_dns_answer *answer;
};

static void on_answer(void *arg, const struct eds_dns_answer *answer)
{
	struct pending *pending = arg;

	pending->answer = answer;
}

/* Waits for DNS with an eye on the child. It has nothing to say until it is answered, so when its
 * socket turns readable it has died, or it lies. */
static int await_answer(struct conversation *c, const struct pending *pending)
{
	while (pending->answer == NULL) {
		int left_ms = rt_remaining_ms(c->ctx);
		char octet;

		if (left_ms == 0)
			return EDS_CHILD_DEADLINE;
		if (eds_dns_step(c->dns, c->socket, left_ms) && pending->answer == NULL)
			return recv(c->socket, &octet, 1, MSG_PEEK | MSG_DONTWAIT) > 0
				? EDS_CHILD_LIED
				: EDS_CHILD_DIED;
	}
	return GOES_ON;
}

static int take_question(struct conversation *c, struct eds_wire *payload)
{
	struct pending *pending = rt_alloc(c->ctx, sizeof *pending);
	struct eds_question question;
	int end;

	if (!eds_get_question(c->ctx, payload, &question) ||
		eds_frame_reader_holds_more(&c->reader))
		return EDS_CHILD_LIED;
	if (++c->questions > EDS_CHILD_QUESTIONS_MAX)
		return EDS_CHILD_FLOODED;
	eds_dns_when(c->dns, question.name, question.type, on_answer, pending);
	end = await_answer(c, pending);
	if (end != GOES_ON)
		return end;
	rt_buffer_init(&c->out, c->ctx, EDS_ANSWER_FRAME_MAX);
	c->sent = 0;
	eds_put_answer(&c->out, pending->answer);
	c->heard_ms = rt_monotonic_ms();
	return send_rest(c);
}

/* Each result once, and only what was asked for. */
static int take_result(
	struct conversation *c, uint32_t kind, unsigned stage, struct eds_wire *payload)
{
	bool sound = false;

	if (!(c->run->stages & stage) || (c->run->finished & stage))
		return EDS_CHILD_LIED;
	if (kind == EDS_FRAME_SPF)
		sound = eds_get_spf(c->ctx, payload, &c->output->spf);
	else if (kind == EDS_FRAME_SPF_HELO)
		sound = eds_get_spf(c->ctx, payload, &c->output->spf_helo);
	else
		sound = eds_get_dkim(c->ctx, payload, &c->output->dkim);
	if (!sound)
		return EDS_CHILD_LIED;
	c->run->finished |= stage;
	return GOES_ON;
}

static int take_frame(struct conversation *c, uint32_t kind, struct eds_wire *payload)
{
	c->heard_ms = rt_monotonic_ms();
	switch (kind) {
	case EDS_FRAME_QUESTION:
		return take_question(c, payload);
	case EDS_FRAME_SPF:
		return take_result(c, kind, EDS_STAGE_SPF, payload);
	case EDS_FRAME_SPF_HELO:
		return take_result(c, kind, EDS_STAGE_SPF_HELO, payload);
	case EDS_FRAME_DKIM:
		return take_result(c, kind, EDS_STAGE_DKIM, payload);
	case EDS_FRAME_DONE:
		return eds_wire_finished(payload) && c->run->finished == c->run->stages
			? EDS_CHILD_DONE
			: EDS_CHILD_LIED;
	default:
		return EDS_CHILD_LIED;
	}
}

static int wait_for_child(struct conversation *c)
{
	int end;
	int wait_ms = patience_ms(c, &end);

	if (end == GOES_ON)
		eds_dns_step(c->dns, c->socket, wait_ms);
	return end;
}

static int hear(struct conversation *c)
{
	struct eds_wire payload;
	uint32_t kind;

	switch (eds_frame_read(&c->reader, &kind, &payload)) {
	case EDS_FRAME_WHOLE:
		return take_frame(c, kind, &payload);
	case EDS_FRAME_AGAIN:
		return wait_for_child(c);
	case EDS_FRAME_ENDED:
		return EDS_CHILD_DIED;
	case EDS_FRAME_BAD:
		break;
	}
	return EDS_CHILD_LIED;
}

/* Task and answers go into the socket before the child exists: it finds them there. */
static int talk(struct conversation *c, int theirs, int message_fd)
{
	bool asked;
	int end;

	send_some(c);
	asked = eds_helper_run(theirs, message_fd, rt_remaining_ms(c->ctx) + HELPER_SLACK_MS);
	close(theirs);
	end = asked ? send_rest(c) : EDS_CHILD_NO_HELPER;
	while (end == GOES_ON)
		end = hear(c);
	return end;
}

/* The child ends by itself when it is done or dying; else it is killed. False without a helper. */
static bool child_ended(struct conversation *c, int end, int *wait_status)
{
	bool by_itself = end == EDS_CHILD_DONE || end == EDS_CHILD_DIED;
	int ignored;

	if (by_itself && eds_helper_wait(patience_ms(c, &ignored), wait_status))
		return true;
	eds_helper_stop_child();
	if (eds_helper_wait(KILL_WAIT_MS, wait_status))
		return true;
	eds_helper_end();
	return false;
}

static enum eds_child_end judge(int end, bool known, int wait_status)
{
	if (!known || wait_status == -1)
		return end == EDS_CHILD_DIED ? EDS_CHILD_NO_HELPER : (enum eds_child_end)end;
	if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGSYS)
		return EDS_CHILD_VIOLATED;
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == EDS_CHILD_EXIT_UNCONFINED)
		return EDS_CHILD_UNCONFINED;
	return (enum eds_child_end)end;
}

static bool open_pair(int pair[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 &&
		fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0;
}

void eds_child_converse(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, struct eds_child_run *run,
	struct eds_verify_output *output)
{
	struct conversation c = {.ctx = ctx, .dns = dns, .run = run, .output = output};
	const struct eds_helper_spec *spec = eds_helper_spec();
	int pair[2];
	int end;
	bool known;

	run->finished = 0;
	run->end = EDS_CHILD_NO_HELPER;
	if (spec == NULL || !open_pair(pair))
		return;
	c.socket = pair[0];
	c.silence_ms = spec->silence_ms;
	c.heard_ms = rt_monotonic_ms();
	eds_frame_reader_init(&c.reader, ctx, c.socket);
	eds_put_ahead(ctx, dns, input, run->stages, &c.out);
	end = talk(&c, pair[1], input->message_fd);
	close(c.socket);
	if (end == EDS_CHILD_NO_HELPER)
		return;
	known = child_ended(&c, end, &run->wait_status);
	run->end = judge(end, known, run->wait_status);
}

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/sandbox/serve.h"

struct request {
	struct eds_helper_request head;
	int fds[EDS_HELPER_FDS]; /* data socket, message; -1 when not sent */
};

static void take_descriptors(struct msghdr *message, int fds[EDS_HELPER_FDS])
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);

	fds[0] = fds[1] = -1;
	if (control != NULL && control->cmsg_type == SCM_RIGHTS &&
		control->cmsg_len == CMSG_LEN(EDS_HELPER_FDS * sizeof(int)))
		memcpy(fds, CMSG_DATA(control), EDS_HELPER_FDS * sizeof(int));
}

/* Waits for one; false when the parent is gone. */
static bool receive(struct request *request)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(EDS_HELPER_FDS * sizeof(int))];
	} control;
	struct iovec part = {.iov_base = &request->head, .iov_len = sizeof request->head};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof control.bytes};
	ssize_t got;

	do
		got = recvmsg(EDS_HELPER_CONTROL_FD, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof request->head)
		return false;
	take_descriptors(&message, request->fds);
	return true;
}

static void close_descriptors(const struct request *request)
{
	for (size_t i = 0; i < EDS_HELPER_FDS; i++)
		if (request->fds[i] >= 0)
			close(request->fds[i]);
}

/* Leaves the child its socket and the message; standard error too where nothing is confined. Taking
 * the place of the control socket closes it: a child must not speak in the helper's name. */
static bool arrange_descriptors(const struct request *request, bool confined)
{
	return dup2(request->fds[0], EDS_CHILD_DATA_FD) >= 0 &&
		dup2(request->fds[1], EDS_CHILD_MESSAGE_FD) >= 0 &&
		close_range(0, confined ? 2 : 1, 0) == 0 &&
		close_range(EDS_CHILD_MESSAGE_FD + 1, ~0U, 0) == 0;
}

/* The message in memory; "" when it is empty. */
static bool map_message(const char **message, size_t *length)
{
	struct stat status;
	void *mapped;

	if (fstat(EDS_CHILD_MESSAGE_FD, &status) != 0 || status.st_size < 0)
		return false;
	*length = (size_t)status.st_size;
	*message = "";
	if (*length == 0)
		return true;
	mapped = mmap(
		NULL, *length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, EDS_CHILD_MESSAGE_FD, 0);
	*message = mapped;
	return mapped != MAP_FAILED;
}

static _Noreturn void be_child(const struct request *request, bool confined, eds_child_main child)
{
	const char *message;
	size_t length;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!arrange_descriptors(request, confined) || !map_message(&message, &length) ||
		(confined && !eds_confine()))
		_exit(EDS_CHILD_EXIT_UNCONFINED);
	child(EDS_CHILD_DATA_FD, message, length);
	_exit(0);
}

/* Until the child has ended, its time is over, or the parent wants it stopped (or is gone). SIGCHLD
 * is blocked but for the wait, so that none is missed. */
static void wait_for_end(pid_t child, int64_t until_ms, int32_t *status)
{
	struct pollfd control = {.fd = EDS_HELPER_CONTROL_FD, .events = POLLIN};
	struct request ignored;
	sigset_t none;

	sigemptyset(&none);
	while (waitpid(child, status, WNOHANG) == 0) {
		int64_t left_ms = until_ms - rt_monotonic_ms();
		struct timespec left = {
			.tv_sec = left_ms / 1000, .tv_nsec = left_ms % 1000 * 1000000};

		if (left_ms > 0 && ppoll(&control, 1, &left, &none) <= 0)
			continue;
		if (left_ms > 0 && receive(&ignored))
			close_descriptors(&ignored);
		kill(child, SIGKILL);
		waitpid(child, status, 0);
		return;
	}
}

static int32_t run(const struct request *request, bool confined, eds_child_main child)
{
	int64_t until_ms = rt_monotonic_ms() + request->head.time_ms;
	int32_t status = -1;
	pid_t pid = fork();

	if (pid == 0)
		be_child(request, confined, child);
	close_descriptors(request);
	if (pid > 0)
		wait_for_end(pid, until_ms, &status);
	return status;
}

static void on_child_end(int signal_number)
{
	(void)signal_number; /* only there to end the wait */
}

static void prepare_signals(void)
{
	struct sigaction action = {.sa_handler = on_child_end};
	sigset_t child_end;

	sigemptyset(&child_end);
	sigaddset(&child_end, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child_end, NULL);
	sigaction(SIGCHLD, &action, NULL);
}

static int serve(bool confined, eds_child_main child)
{
	struct request request;

	prepare_signals();
	while (receive(&request)) {
		int32_t status;

		if (request.head.command != EDS_HELPER_RUN || request.fds[1] < 0) {
			close_descriptors(&request); /* a stop for a child that has ended already */
			continue;
		}
		status = run(&request, confined, child);
		if (send(EDS_HELPER_CONTROL_FD, &status, sizeof status, MSG_NOSIGNAL) < 0)
			break;
	}
	return 0;
}

/* Only a function can start it: somebody's shell has no socket there. */
static bool has_control(void)
{
	int type;
	socklen_t length = sizeof type;

	return getsockopt(EDS_HELPER_CONTROL_FD, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
		type == SOCK_SEQPACKET;
}

int eds_helper_main(int argc, char **argv, void (*warm)(void), eds_child_main child)
{
	bool confined = argc < 2 || strcmp(argv[1], EDS_HELPER_FREE_ARGUMENT) != 0;

	if (!has_control()) {
		fprintf(stderr, "%s is started by the functions that read mail.\n",
			argc > 0 ? argv[0] : "this program");
		return 2;
	}
	warm();
	return serve(confined, child);
}

void eds_child_write(int data, const struct rt_buffer *out)
{
	size_t sent = 0;

	while (sent < out->length) {
		ssize_t wrote = write(data, out->bytes + sent, out->length - sent);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			_exit(EDS_CHILD_EXIT_ALONE);
		sent += (size_t)wrote;
	}
}

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/heap.h"
#include "functions/lib/sandbox/confine.h"
#include "functions/lib/sandbox/proof.h"
#include "functions/lib/sandbox/serve.h"
#include "runtime/kernel.h"
#include "runtime/time.h"

struct request {
	struct eds_helper_request head;
	int fds[EDS_HELPER_FDS]; /* the data socket and the message; -1 when not sent */
};

/* Memory that the helper shares with its child, in which the child reports its level. */
static uint32_t *said_level;

static void take_descriptors(struct msghdr *message, int fds[EDS_HELPER_FDS])
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);

	fds[0] = fds[1] = -1;
	if (control != NULL && control->cmsg_type == SCM_RIGHTS &&
		control->cmsg_len == CMSG_LEN(EDS_HELPER_FDS * sizeof(int)))
		memcpy(fds, CMSG_DATA(control), EDS_HELPER_FDS * sizeof(int));
}

/* Waits for one request; false when the parent is gone. */
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

/* Leaves the child its socket and the message, and standard error when the child is not confined.
 * dup2() onto the number of the control socket closes that socket in the child, so that the child
 * cannot send reports in the helper's name. No other descriptor is left: the helper has only its
 * own descriptors and those of the request. */
static bool arrange_descriptors(const struct request *request, enum eds_level level)
{
	if (dup2(request->fds[0], EDS_CHILD_DATA_FD) < 0 ||
		dup2(request->fds[1], EDS_CHILD_MESSAGE_FD) < 0)
		return false;
	for (size_t i = 0; i < EDS_HELPER_FDS; i++)
		if (request->fds[i] != EDS_CHILD_DATA_FD && request->fds[i] != EDS_CHILD_MESSAGE_FD)
			close(request->fds[i]);
	for (int fd = 0; fd <= (level == EDS_LEVEL_NONE ? STDOUT_FILENO : STDERR_FILENO); fd++)
		close(fd);
	return true;
}

/* Maps the message into memory; *message is "" when the message is empty. */
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

/* Reports the level before the child reads the first octet of the message, while the child can be
 * trusted. Then unmaps the shared memory, so that the child cannot change the report. A frame on
 * the child's socket could also carry the level, but would wake the parent for nothing. */
static void say_level(enum eds_level level)
{
	*said_level = (uint32_t)level;
	if (munmap(said_level, sizeof *said_level) != 0)
		_exit(EDS_CHILD_EXIT_UNCONFINED);
}

static _Noreturn void be_child(
	const struct request *request, pid_t helper, enum eds_level level, eds_child_main child)
{
	const char *message;
	size_t length;

	if (!rt_end_with(helper) || !arrange_descriptors(request, level) ||
		!map_message(&message, &length))
		_exit(EDS_CHILD_EXIT_UNCONFINED);
	if (level != EDS_LEVEL_NONE && eds_confine(level, EDS_CONFINE_CHILD) != level)
		_exit(EDS_CHILD_EXIT_UNCONFINED);
	say_level(level);
	child(EDS_CHILD_DATA_FD, message, length);
	_exit(0);
}

/* Waits until the child has ended. Kills the child when its time is over, when the parent asks to
 * stop it, or when the parent is gone. SIGCHLD is blocked except during the wait, so that no signal
 * is missed. */
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

static int32_t run(const struct request *request, enum eds_level level, eds_child_main child)
{
	int64_t until_ms = rt_monotonic_ms() + request->head.time_ms;
	int32_t status = -1;
	pid_t helper = getpid();
	pid_t pid = fork();

	if (pid == 0)
		be_child(request, helper, level, child);
	close_descriptors(request);
	if (pid > 0)
		wait_for_end(pid, until_ms, &status);
	return status;
}

static void on_child_end(int signal_number)
{
	(void)signal_number; /* the handler only has to interrupt the wait */
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

static int serve(enum eds_level level, eds_child_main child)
{
	struct request request;

	said_level = mmap(NULL, sizeof *said_level, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (said_level == MAP_FAILED)
		return EXIT_FAILURE;
	prepare_signals();
	while (receive(&request)) {
		struct eds_helper_report report;

		if (request.head.command != EDS_HELPER_RUN || request.fds[1] < 0) {
			close_descriptors(
				&request); /* a stop request for a child that has already ended */
			continue;
		}
		*said_level = EDS_LEVEL_NONE;
		report.wait_status = run(&request, level, child);
		report.level = *said_level;
		if (send(EDS_HELPER_CONTROL_FD, &report, sizeof report, MSG_NOSIGNAL) < 0)
			break;
	}
	return 0;
}

/* True when a function has started this program: a program started from a shell has no socket at
 * the number of the control socket. */
static bool has_control(void)
{
	int type;
	socklen_t length = sizeof type;

	return getsockopt(EDS_HELPER_CONTROL_FD, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
		type == SOCK_SEQPACKET;
}

/* The arguments of a helper. */
struct orders {
	enum eds_level strongest; /* the strongest level to prove; EDS_LEVEL_NONE for no
				   * confinement */
	enum eds_level weakest;
	bool prove; /* only prove the level and print it */
};

/* An unknown word counts as the strictest one, so that a typing error in it never weakens the
 * sandbox. An argument without a word counts as "required". */
static void read_orders(int argc, char **argv, struct orders *orders)
{
	static const struct {
		const char *word;
		enum eds_level strongest;
		enum eds_level weakest;
	} known[] = {
		{"required", EDS_LEVEL_FILTER, EDS_LEVEL_LIMITS},
		{"limits", EDS_LEVEL_LIMITS, EDS_LEVEL_LIMITS},
		{"off", EDS_LEVEL_NONE, EDS_LEVEL_NONE},
	};
	const char *argument = argc > 1 ? argv[1] : EDS_HELPER_SANDBOX_ARGUMENT "required";
	const char *equals = strchr(argument, '=');
	const char *word = equals == NULL ? "required" : equals + 1;

	*orders = (struct orders){.strongest = EDS_LEVEL_FILTER, .weakest = EDS_LEVEL_FILTER};
	orders->prove = strncmp(argument, EDS_HELPER_PROVE_ARGUMENT,
				strlen(EDS_HELPER_PROVE_ARGUMENT)) == 0;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (strcmp(known[i].word, word) == 0) {
			orders->strongest = known[i].strongest;
			orders->weakest = known[i].weakest;
		}
	}
}

/* Proves the level before the warm-up, so that the parent can continue during the warm-up. Forking
 * the probe is also cheap at this time, because the helper still has little memory. */
static bool introduce(const struct orders *orders, enum eds_level *level)
{
	uint32_t said;

	*level = EDS_LEVEL_NONE;
	if (orders->strongest != EDS_LEVEL_NONE) {
		rt_hide_memory(); /* children inherit this protection of their memory */
		*level = eds_prove(orders->strongest, orders->weakest);
	}
	said = (uint32_t)*level;
	return send(EDS_HELPER_CONTROL_FD, &said, sizeof said, MSG_NOSIGNAL) == sizeof said &&
		*level >= orders->weakest;
}

int eds_helper_main(int argc, char **argv, void (*warm)(void), eds_child_main child)
{
	struct orders orders;
	enum eds_level level;

	read_orders(argc, argv, &orders);
	if (orders.prove) {
		rt_hide_memory();
		return eds_proof_print(orders.strongest, orders.weakest);
	}
	if (!has_control()) {
		fprintf(stderr,
			"%s is started by the functions that read mail; with " EDS_HELPER_PROVE_ARGUMENT
			" it tests how well the reading can be confined here.\n",
			argc > 0 ? argv[0] : "this program");
		return 2;
	}
	rt_close_from(EDS_HELPER_CONTROL_FD + 1);
	if (!introduce(&orders, &level))
		return EXIT_FAILURE;
	eds_heap_widen();
	warm();
	eds_heap_fill_gaps();
	return serve(level, child);
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

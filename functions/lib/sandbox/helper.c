#include "functions/lib/sandbox/helper.h"
#include "runtime/time.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/sandbox/helper-program.h"
#include "functions/lib/sandbox/proof.h"
#include "runtime/kernel.h"
#include "runtime/log.h"

enum {
	NAME_BYTES_MAX = 64,
	PROOF_MS = 10000,  /* how long the proof may take: a thousand times the usual time */
	SILENCE_MS = 8000, /* how long a child may be silent: a thousand times the usual time */
};

/* Each process has at most one helper of each kind. A helper outlives the event, like the database
 * and the resolver. */
static struct helper {
	const char *const name;
	pid_t pid; /* process id of the helper; 0 while none runs */
	int control;
	enum eds_level level; /* the level that this helper has proven */
	bool unproven;        /* the latest helper that was started did not prove a level */
	int error; /* why the program could not be found or executed in the last try, as an
		    * errno value; 0 after a success */
	char path[EDS_HELPER_PATH_MAX];
	struct eds_helper_spec usual;
	const struct eds_helper_spec *chosen;
} helpers[EDS_HELPERS] = {
	[EDS_HELPER_VERIFIER] = {.name = "eds-verifier"},
	[EDS_HELPER_REPORT_READER] = {.name = "eds-report-reader"},
};

/* The path is written to the log only; the reason also becomes part of answers. */
static void complain(struct helper *helper, const char *path, int error)
{
	helper->error = error;
	rt_log_line(RT_LOG_WARNING, helper->name, NULL, "cannot be started: %s: %s", path,
		strerror(error));
}

const struct eds_helper_spec *eds_helper_spec(enum eds_helper which)
{
	struct helper *helper = &helpers[which];

	if (helper->chosen != NULL)
		return helper->chosen;
	if (helper->usual.path == NULL) {
		if (eds_helper_find(helper->name, helper->path))
			helper->usual.path = helper->path;
		else
			complain(helper, helper->path, errno);
	}
	helper->usual.sandbox = rt_config()->sandbox;
	helper->usual.silence_ms = SILENCE_MS;
	return helper->usual.path == NULL ? NULL : &helper->usual;
}

void eds_helper_use(enum eds_helper which, const struct eds_helper_spec *spec)
{
	eds_helper_end(which);
	helpers[which].chosen = spec;
}

static void end(struct helper *helper)
{
	if (helper->pid == 0)
		return;
	close(helper->control);
	kill(helper->pid, SIGKILL);
	while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	helper->pid = 0;
}

void eds_helper_end(enum eds_helper which)
{
	end(&helpers[which]);
}

/* The helper gets only the control socket. Without a sandbox it also gets standard error, because a
 * sanitizer writes there. The exec closes all other descriptors of ours; the helper closes any that
 * a library forgot to mark close-on-exec.
 */
static void plan_descriptors(
	posix_spawn_file_actions_t *actions, int control, enum rt_sandbox sandbox)
{
	posix_spawn_file_actions_adddup2(actions, control, EDS_HELPER_CONTROL_FD);
	posix_spawn_file_actions_addclose(actions, STDIN_FILENO);
	posix_spawn_file_actions_addclose(actions, STDOUT_FILENO);
	if (sandbox != RT_SANDBOX_OFF)
		posix_spawn_file_actions_addclose(actions, STDERR_FILENO);
}

/* The helper starts with no signal blocked or ignored, even if this process blocks or ignores
 * some. */
static void plan_signals(posix_spawnattr_t *attributes)
{
	sigset_t set;

	sigemptyset(&set);
	posix_spawnattr_setsigmask(attributes, &set);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(attributes, &set);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static bool spawn(struct helper *helper, const struct eds_helper_spec *spec, int control)
{
	char name[NAME_BYTES_MAX];
	char argument[NAME_BYTES_MAX];
	char *const arguments[] = {name, argument, NULL};
	char *const environment[] = {NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	snprintf(name, sizeof name, "%s", helper->name);
	snprintf(argument, sizeof argument, EDS_HELPER_SANDBOX_ARGUMENT "%s",
		rt_sandbox_word(spec->sandbox));
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	plan_descriptors(&actions, control, spec->sandbox);
	plan_signals(&attributes);
	error = posix_spawn(
		&helper->pid, spec->path, &actions, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	helper->error = 0;
	if (error == 0)
		return true;
	helper->pid = 0;
	complain(helper, spec->path, error);
	return false;
}

static ssize_t receive(const struct helper *helper, int64_t until_ms, void *bytes, size_t length)
{
	struct pollfd control = {.fd = helper->control, .events = POLLIN};
	int ready;

	do {
		int64_t left_ms = until_ms - rt_monotonic_ms();

		ready = poll(&control, 1, left_ms > 0 ? (int)left_ms : 0);
	} while (ready < 0 && errno == EINTR);
	if (ready == 0)
		return -1;
	return recv(helper->control, bytes, length, MSG_DONTWAIT);
}

/* Waits for the helper's proof of its level. False when no proof comes in time, or the proven level
 * is below the required one. */
static bool greet(struct helper *helper, enum rt_sandbox sandbox)
{
	const enum eds_level least = sandbox == RT_SANDBOX_OFF ? EDS_LEVEL_NONE
		: sandbox == RT_SANDBOX_FILTER                 ? EDS_LEVEL_FILTER
							       : EDS_LEVEL_LIMITS;
	uint32_t level;

	helper->unproven = false;
	if (receive(helper, rt_monotonic_ms() + PROOF_MS, &level, sizeof level) !=
		(ssize_t)sizeof level)
		return false;
	helper->level = level > EDS_LEVEL_FILTER ? EDS_LEVEL_NONE : (enum eds_level)level;
	helper->unproven = helper->level < least;
	return !helper->unproven;
}

bool eds_helper_start(enum eds_helper which)
{
	struct helper *helper = &helpers[which];
	const struct eds_helper_spec *spec = eds_helper_spec(which);
	int pair[2];
	bool started;

	if (helper->pid != 0)
		return true;
	if (spec == NULL || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	started = spawn(helper, spec, pair[1]);
	close(pair[1]);
	if (!started) {
		close(pair[0]);
		return false;
	}
	helper->control = pair[0];
	if (greet(helper, spec->sandbox))
		return true;
	end(helper);
	return false;
}

const char *eds_helper_reason(struct rt_ctx *ctx, enum eds_helper which)
{
	const struct helper *helper = &helpers[which];

	return helper->error == 0 ? helper->name
				  : rt_printf(ctx, "%s, %s", helper->name, strerror(helper->error));
}

enum eds_level eds_helper_level(enum eds_helper which)
{
	return helpers[which].level;
}

void eds_helper_prepare(enum eds_helper which)
{
	const struct eds_helper_spec *spec = eds_helper_spec(which);
	struct helper *helper = &helpers[which];

	if (spec == NULL || spec->sandbox == RT_SANDBOX_OFF)
		return;
	if (eds_helper_start(which)) {
		rt_log_line(RT_LOG_INFO, helper->name, NULL, "sandbox level: %s",
			eds_level_word(helper->level));
	} else if (helper->unproven) {
		fprintf(stderr, "%s\n", EDS_UNPROVEN);
		exit(RT_EXIT_CONFIG);
	}
}

static bool send_request(const struct helper *helper, uint32_t command, int time_ms, const int *fds)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(EDS_HELPER_FDS * sizeof(int))];
	} control = {.bytes = {0}};
	struct eds_helper_request request = {.command = command, .time_ms = time_ms};
	struct iovec part = {.iov_base = &request, .iov_len = sizeof request};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fds != NULL) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof control.bytes;
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(EDS_HELPER_FDS * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, EDS_HELPER_FDS * sizeof(int));
	}
	return sendmsg(helper->control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
		(ssize_t)sizeof request;
}

/* A kept helper may have died since the last message; the request then goes to a new helper. */
bool eds_helper_run(enum eds_helper which, int data, int message, int time_ms)
{
	const int fds[EDS_HELPER_FDS] = {data, message};
	struct helper *helper = &helpers[which];
	bool kept = helper->pid != 0;

	if (!eds_helper_start(which))
		return false;
	if (send_request(helper, EDS_HELPER_RUN, time_ms, fds))
		return true;
	end(helper);
	return kept && eds_helper_start(which) &&
		send_request(helper, EDS_HELPER_RUN, time_ms, fds);
}

void eds_helper_stop_child(enum eds_helper which)
{
	struct helper *helper = &helpers[which];

	if (helper->pid != 0 && !send_request(helper, EDS_HELPER_STOP, 0, NULL))
		end(helper);
}

bool eds_helper_wait(enum eds_helper which, int max_ms, struct eds_helper_report *report)
{
	struct helper *helper = &helpers[which];
	ssize_t got;

	if (helper->pid == 0)
		return false;
	got = receive(helper, rt_monotonic_ms() + max_ms, report, sizeof *report);
	if (got >= 0 && got != (ssize_t)sizeof *report)
		end(helper);
	return got == (ssize_t)sizeof *report;
}

/* Runs a program like a cloud that refuses system calls: AWS Lambda, by default.
 *
 *     as-cloud [--user UID] [--root FOLDER] [--refuse CALL,…] [--missing CALL,…] [--keep FOLDER]
 *              PROGRAM [ARGUMENT…]
 *
 * The calls of --refuse (default: those that AWS Lambda refuses) get EPERM, those of --missing
 * ENOSYS, as from a kernel without them; `--refuse none` refuses no call. --user gives up root's
 * rights permanently. --root makes a folder the root of the visible file system. /dev/shm is empty
 * and takes no files, except in the folder of --keep. Root must start this program; the filter is
 * installed before the program is executed, and applies to all processes that it starts.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char lambda[] =
	"prctl,seccomp,ptrace,close_range,memfd_create,sched_setscheduler,unshare,shmget";

static const struct {
	const char *name;
	uint32_t number;
} calls[] = {
	{"prctl", __NR_prctl},
	{"seccomp", __NR_seccomp},
	{"ptrace", __NR_ptrace},
	{"close_range", __NR_close_range},
	{"memfd_create", __NR_memfd_create},
	{"sched_setscheduler", __NR_sched_setscheduler},
	{"unshare", __NR_unshare},
	{"shmget", __NR_shmget},
	{"process_vm_readv", __NR_process_vm_readv},
	{"process_vm_writev", __NR_process_vm_writev},
	{"pidfd_open", __NR_pidfd_open},
	{"pidfd_getfd", __NR_pidfd_getfd},
	{"prlimit64", __NR_prlimit64},
};

enum {
	CALLS = sizeof calls / sizeof calls[0],
	CODE_MAX = 4 * CALLS + 2,
	EXIT_USAGE = 64,
	PATH_BYTES = 4096,
};

struct options {
	const char *user;
	const char *root;
	const char *refuse;
	const char *missing;
	const char *keep;
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "as-cloud: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static uint32_t number_of(const char *name, size_t length)
{
	for (size_t i = 0; i < CALLS; i++)
		if (strlen(calls[i].name) == length && strncmp(calls[i].name, name, length) == 0)
			return calls[i].number;
	fprintf(stderr, "as-cloud: no such call: %.*s\n", (int)length, name);
	exit(EXIT_USAGE);
}

/* Makes the calls in the list fail with this error. */
static void put_calls(struct sock_fprog *program, const char *list, int error)
{
	while (*list != '\0') {
		size_t length = strcspn(list, ",");
		uint32_t number = number_of(list, length);

		program->filter[program->len++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
		program->filter[program->len++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error);
		list += length + (list[length] == ',');
	}
}

static void refuse_calls(const struct options *options)
{
	static struct sock_filter code[CODE_MAX];
	struct sock_fprog program = {.filter = code};
	const char *refuse = strcmp(options->refuse, "none") == 0 ? "" : options->refuse;

	code[program.len++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	put_calls(&program, options->missing, ENOSYS);
	put_calls(&program, refuse, EPERM);
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		fail("seccomp");
}

/* mkdir -p */
static void make_folders(const char *path)
{
	char part[PATH_BYTES];

	for (const char *slash = path; slash != NULL; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
		if (part[0] != '\0' && mkdir(part, 0711) != 0 && errno != EEXIST)
			fail(part);
	}
	mkdir(path, 0711);
}

/* Replaces /dev/shm by an empty folder, in a mount name space of this process. The folder to keep
 * stays reachable through a descriptor until it is mounted again. */
static void hide_shared_memory(const char *keep)
{
	bool kept = keep != NULL && strncmp(keep, "/dev/shm/", 9) == 0;
	char held[64];
	int fd;

	if (access("/dev/shm", F_OK) != 0)
		return;
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		fail("/");
	fd = kept ? open(keep, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (mount("none", "/dev/shm", "tmpfs", 0, "mode=0711") != 0)
		fail("/dev/shm");
	if (!kept)
		return;
	make_folders(keep);
	snprintf(held, sizeof held, "/proc/self/fd/%d", fd);
	if (fd < 0 || mount(held, keep, NULL, MS_BIND, NULL) != 0)
		fail(keep);
}

/* Changes to the user, but keeps one of root's rights (capabilities) for installing the filter; the
 * exec drops that right, too. */
static void leave_root(const char *user)
{
	uid_t id = (uid_t)strtoul(user, NULL, 10);
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct rights[2] = {
		{.effective = 1U << CAP_SYS_ADMIN, .permitted = 1U << CAP_SYS_ADMIN}};

	if (setgroups(0, NULL) != 0 || setresgid(id, id, id) != 0 ||
		prctl(PR_SET_KEEPCAPS, 1) != 0 || setresuid(id, id, id) != 0 ||
		syscall(SYS_capset, &header, rights) != 0)
		fail("--user");
}

static int read_options(int argc, char **argv, struct options *options)
{
	const struct {
		const char *name;
		const char **value;
	} known[] = {
		{"--user", &options->user},
		{"--root", &options->root},
		{"--refuse", &options->refuse},
		{"--missing", &options->missing},
		{"--keep", &options->keep},
	};
	int at = 1;

	while (at + 1 < argc && argv[at][0] == '-') {
		size_t i = 0;

		while (i < sizeof known / sizeof known[0] && strcmp(known[i].name, argv[at]) != 0)
			i++;
		if (i == sizeof known / sizeof known[0])
			return argc;
		*known[i].value = argv[at + 1];
		at += 2;
	}
	return at;
}

int main(int argc, char **argv)
{
	struct options options = {.refuse = lambda, .missing = ""};
	int program = read_options(argc, argv, &options);

	if (program >= argc) {
		fprintf(stderr,
			"usage: as-cloud [--user UID] [--root FOLDER] [--refuse CALLS] "
			"[--missing CALLS] [--keep FOLDER] PROGRAM [ARGUMENT...]\n");
		return EXIT_USAGE;
	}
	if (options.root == NULL)
		hide_shared_memory(options.keep);
	else if (chroot(options.root) != 0 || chdir("/") != 0)
		fail(options.root);
	if (options.user != NULL)
		leave_root(options.user);
	/* ends with its parent, so that a killed test leaves no processes behind */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	refuse_calls(&options);
	execv(argv[program], argv + program);
	fail(argv[program]);
}

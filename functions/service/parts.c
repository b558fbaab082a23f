#include "functions/service/parts.h"
#include "runtime/time.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "functions/lib/dns/dns.h"
#include "functions/lib/sandbox/helper-program.h"
#include "runtime/config/config.h"
#include "runtime/helpers.h"
#include "runtime/mail-store/mailstore-spool.h"
#include "runtime/mail-store/mailstore.h"

enum {
	PART_WAIT_MS = 3000,
	ROOM_BYTES_MIN = 1024 * 1024,
	FILE_MODE = 0600,
};

/* No message has this id, so a mail store that works answers that there is no such message. */
static const char NO_MESSAGE[] = "service-asks";

/* Every resolver answers this name (RFC 6761 section 6.3), even without access to the Internet. */
static const char ANY_NAME[] = "localhost";

/* Fails when the disk with the path in url has less than ROOM_BYTES_MIN free. The other questions
 * to the database and the mail store do not show this, because they also succeed on a full disk. A
 * url that does not begin with scheme is not on a local disk, and is not checked. A path whose disk
 * cannot be looked at, for example because the path does not exist yet, is not an error here. */
static rt_status ask_room(struct rt_ctx *ctx, const char *url, const char *scheme)
{
	const char *path = url + strlen(scheme);
	struct statvfs disk;

	if (strncmp(url, scheme, strlen(scheme)) != 0 || statvfs(path, &disk) != 0 ||
		(uint64_t)disk.f_bavail * disk.f_frsize >= ROOM_BYTES_MIN)
		return RT_OK;
	return rt_fail(ctx, RT_TEMPORARY, "disk-full", "the disk of %s is full", path);
}

static rt_status ask_database(struct rt_ctx *ctx, struct service_state *state)
{
	struct eds_store *store;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_backlog(ctx, store, &state->backlog));
	state->database_answers = true;
	RT_TRY(eds_store_try_write(ctx, store));
	return ask_room(ctx, rt_config()->database_url, "sqlite:");
}

static rt_status ask_mail_store(struct rt_ctx *ctx, struct service_state *state)
{
	size_t bytes;
	rt_status status;
	int fd;

	(void)state;
	status = rt_mailstore_open(ctx, NO_MESSAGE, &fd, &bytes);
	if (status != RT_OK && status != RT_NOT_FOUND)
		return status;
	rt_fail_clear(ctx);
	return ask_room(ctx, rt_config()->mail_store, "file:");
}

static rt_status ask_dns(struct rt_ctx *ctx, struct service_state *state)
{
	const struct eds_dns_answer *answer;
	struct eds_dns *dns;

	(void)state;
	RT_TRY(eds_dns_open(ctx, &dns));
	eds_dns_start_own(dns, ANY_NAME, EDS_DNS_A);
	answer = eds_dns_get(dns, ANY_NAME, EDS_DNS_A);
	if (answer->state == EDS_DNS_TEMPORARY)
		return rt_fail(ctx, RT_TEMPORARY, "dns-unavailable", "%s", answer->reason);
	return RT_OK;
}

/* True if a file can be written in the folder. The test file has no name, so that no file remains
 * after the test; on a file system that cannot have files without a name (NFS), only the
 * permissions are checked. */
static bool can_write(const char *folder)
{
	static const char block[4096];
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, FILE_MODE);
	bool written;
	int error;

	if (fd < 0)
		return (errno == EOPNOTSUPP || errno == EISDIR) && access(folder, W_OK | X_OK) == 0;
	written = write(fd, block, sizeof block) == (ssize_t)sizeof block;
	error = errno;
	close(fd);
	errno = error;
	return written;
}

/* Checks that the runner can store mail in its spool, and that the spool has no files that the
 * runner could not read. A machine that receives no mail has no spool. */
static rt_status ask_spool(struct rt_ctx *ctx, struct service_state *state)
{
	char folder[RT_SPOOL_PATH_MAX];
	size_t damaged;

	if (!rt_spool_folder(folder))
		return RT_OK;
	state->backup_age_s = rt_spool_backup_age_s(folder);
	damaged = rt_spool_damaged(folder);
	state->spool_damaged = damaged > 0;
	RT_TRY(ask_room(ctx, folder, ""));
	if (!can_write(folder) && errno != ENOENT)
		return rt_fail(ctx, RT_TEMPORARY, "spool-read-only",
			"the spool cannot be written, so no mail is accepted: %s", strerror(errno));
	state->spool_takes_mail = true;
	if (damaged == 0)
		return RT_OK;
	return rt_fail(ctx, RT_INTERNAL, "spool-damaged",
		"accepted mail cannot be read: look at the files in " RT_SPOOL_DAMAGED
		"/ of the spool (%zu), then delete them; infra/runbooks/mail-damaged.md says how",
		damaged);
}

/* A package of a single function (infra/package) contains only the helpers of that function, so a
 * helper counts as missing only if a function that needs it is installed. */
static bool is_needed(const struct rt_helper *helper)
{
	for (const char *const *function = helper->functions; *function != NULL; function++)
		if (eds_helper_has_neighbor(*function))
			return true;
	return false;
}

static rt_status ask_helpers(struct rt_ctx *ctx, struct service_state *state)
{
	char path[EDS_HELPER_PATH_MAX];

	(void)state;
	for (size_t i = 0; i < RT_HELPERS; i++)
		if (is_needed(&rt_helpers[i]) && !eds_helper_find(rt_helpers[i].program, path))
			return rt_fail(ctx, RT_TEMPORARY, "helper-missing",
				"the program %s cannot be executed: %s", rt_helpers[i].program,
				strerror(errno));
	return RT_OK;
}

static const struct {
	const char *name;
	rt_status (*ask)(struct rt_ctx *ctx, struct service_state *state);
} parts[SERVICE_PARTS] = {
	[SERVICE_DATABASE] = {"database", ask_database},
	[SERVICE_MAIL_STORE] = {"mailStore", ask_mail_store},
	[SERVICE_DNS] = {"dns", ask_dns},
	[SERVICE_SPOOL] = {"spool", ask_spool},
	[SERVICE_HELPERS] = {"helpers", ask_helpers},
};

static void look_at(struct rt_ctx *ctx, struct service_state *state, enum service_part part)
{
	int64_t began_ms = rt_monotonic_ms();
	int64_t deadline_ms = ctx->deadline_ms;

	if (began_ms + PART_WAIT_MS < deadline_ms)
		ctx->deadline_ms = began_ms + PART_WAIT_MS;
	if (parts[part].ask(ctx, state) != RT_OK)
		state->reason[part] = rt_strdup(ctx, ctx->failure.detail);
	rt_fail_clear(ctx);
	ctx->deadline_ms = deadline_ms;
	state->ms[part] = (int)(rt_monotonic_ms() - began_ms);
}

void service_look(struct rt_ctx *ctx, struct service_state *state)
{
	*state = (struct service_state){.backup_age_s = -1};
	for (enum service_part part = 0; part < SERVICE_PARTS; part++)
		look_at(ctx, state, part);
}

const char *service_part_name(enum service_part part)
{
	return parts[part].name;
}

#include "functions/lib/store/db/database-url.h"
#include "runtime/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions/lib/store/db/database-secret.h"
#include "runtime/aws/secret.h"
#include "runtime/config/config.h"

/* The secret of this process, which has one at most. */
static struct {
	char *url; /* the address in the secret; NULL when the secret has not been read yet */
	int64_t read_at_ms;
	int64_t refused_at_ms; /* when a refused password last made this process read the secret
				* again; 0 for never */
	bool unreached;        /* the database could not be reached since the secret was read */
} secret;

static const struct aws_service secrets_manager = {
	"secretsmanager", "the secret that EDS_DATABASE_URL names", "store-unavailable"};

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Credentials of systemd and Kubernetes are small files; a longer file is an error. Opening does
 * not wait for a writer if the path is a pipe. */
static rt_status read_file(struct rt_ctx *ctx, const char *path, char **text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length = -1;

	*text = rt_alloc(ctx, EDS_DATABASE_URL_MAX + 1);
	if (fd >= 0) {
		length = read(fd, *text, EDS_DATABASE_URL_MAX + 1);
		close(fd);
	}
	if (length < 0)
		return rt_fail(ctx, RT_TEMPORARY, "store-unavailable",
			"the file with the database's address cannot be read: %s", strerror(errno));
	if (length > EDS_DATABASE_URL_MAX)
		length = 0;
	(*text)[length] = '\0';
	(*text)[strcspn(*text, "\r\n")] = '\0';
	return RT_OK;
}

static rt_status read_address_file(struct rt_ctx *ctx, const char *path, const char **url)
{
	char *text;

	RT_TRY(read_file(ctx, path, &text));
	if (!eds_database_is_address(text))
		return rt_fail(ctx, RT_TEMPORARY, "store-unavailable",
			"the file that EDS_DATABASE_URL names contains no address of PostgreSQL");
	*url = text;
	return RT_OK;
}

static rt_status keep(struct rt_ctx *ctx, const char *url)
{
	char *copy = strdup(url);

	if (copy == NULL)
		return rt_fail(ctx, RT_TEMPORARY, "store-unavailable", "out of memory");
	if (secret.url != NULL)
		explicit_bzero(secret.url, strlen(secret.url));
	free(secret.url);
	secret.url = copy;
	secret.unreached = false;
	return RT_OK;
}

static rt_status read_secret(struct rt_ctx *ctx, const char *name)
{
	size_t length = strcspn(name, "#?");
	const char *text;
	const char *url;

	secret.read_at_ms = rt_monotonic_ms();
	RT_TRY(aws_secret_get(ctx, &secrets_manager, rt_memdup(ctx, name, length), &text));
	RT_TRY(eds_database_secret_url(ctx, text, name + length, &url));
	return keep(ctx, url);
}

/* When the secret cannot be read again, uses its last value, because the database may be reachable
 * at that address again. */
static rt_status find_secret(struct rt_ctx *ctx, const char *name, const char **url)
{
	bool again = secret.unreached &&
		rt_monotonic_ms() - secret.read_at_ms >= EDS_SECRET_UNREACHED_MS;

	if (secret.url == NULL)
		RT_TRY(read_secret(ctx, name));
	else if (again && read_secret(ctx, name) != RT_OK)
		rt_fail_clear(ctx);
	*url = secret.url;
	return RT_OK;
}

rt_status eds_database_url(struct rt_ctx *ctx, const char **url)
{
	const char *configured = rt_config()->database_url;

	*url = configured;
	if (begins_with(configured, "file:"))
		return read_address_file(ctx, configured + strlen("file:"), url);
	if (begins_with(configured, RT_DATABASE_SECRET))
		return find_secret(ctx, configured + strlen(RT_DATABASE_SECRET), url);
	return RT_OK;
}

/* Reads the secret again, unless a refused password made this process do so less than
 * EDS_SECRET_REFUSED_MS ago. Other reads do not count, so that the first refusal after a rotation
 * reads the secret at once. */
static rt_status read_again(struct rt_ctx *ctx)
{
	const char *configured = rt_config()->database_url;
	int64_t now_ms = rt_monotonic_ms();

	if (!begins_with(configured, RT_DATABASE_SECRET))
		return RT_OK;
	if (secret.refused_at_ms != 0 && now_ms - secret.refused_at_ms < EDS_SECRET_REFUSED_MS)
		return RT_OK;
	secret.refused_at_ms = now_ms;
	return read_secret(ctx, configured + strlen(RT_DATABASE_SECRET));
}

char *eds_database_url_failed(const char *url, bool refused, int64_t until_ms)
{
	struct rt_ctx ctx = {.arena = rt_arena_new(), .deadline_ms = until_ms};
	const char *now;
	char *another = NULL;

	if (!refused)
		secret.unreached = true;
	if (!eds_database_is_address(rt_config()->database_url) && rt_remaining_ms(&ctx) > 0 &&
		(!refused || read_again(&ctx) == RT_OK) && eds_database_url(&ctx, &now) == RT_OK &&
		strcmp(now, url) != 0)
		another = strdup(now);
	rt_arena_free(ctx.arena);
	return another;
}

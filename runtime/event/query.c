#include "runtime/event/query.h"

#include <string.h>

#include "runtime/slips.h"

enum {
	SHOWN_MAX = 64, /* maximum length of a name that the error repeats, octets */
};

static const char *const nothing[] = {NULL};

static struct {
	const char *method;
	const char *const *names;
	bool any;
} taken = {.method = "", .names = nothing};

void rt_takes_query(const char *method, const char *const *names)
{
	taken.method = method;
	taken.names = names;
}

void rt_takes_any_query(void)
{
	taken.any = true;
}

static const char *const *names_for(const struct rt_request *req)
{
	const char *method = strcmp(req->method, "HEAD") == 0 ? "GET" : req->method;

	return strcmp(method, taken.method) == 0 ? taken.names : nothing;
}

static bool is_taken(const char *const *names, const char *name)
{
	while (*names != NULL && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

/* The known name that was probably meant; NULL if none is near. */
static const char *meant_by(const char *const *names, const char *name)
{
	struct rt_meant meant = {.word = name, .length = strlen(name)};

	for (; *names != NULL; names++)
		rt_meant_offer(&meant, *names);
	return meant.found;
}

static const char *listed(struct rt_ctx *ctx, const char *const *names)
{
	const char *list = *names;

	while (*++names != NULL)
		list = rt_printf(ctx, "%s, %s", list, *names);
	return list;
}

static void add_unknown(struct rt_ctx *ctx, const char *const *names, const char *name)
{
	const char *like = meant_by(names, name);
	const char *shown = strlen(name) <= SHOWN_MAX ? name : "";

	if (like != NULL)
		rt_fail_field(
			ctx, shown, "there is no such query parameter; did you mean %s?", like);
	else if (*names != NULL)
		rt_fail_field(ctx, shown, "there is no such query parameter; there are %s",
			listed(ctx, names));
	else
		rt_fail_field(ctx, shown, "this operation has no query parameters");
}

rt_status rt_query_check(struct rt_ctx *ctx, const struct rt_request *req)
{
	const char *const *names = names_for(req);
	const struct rt_field *param;

	for (param = taken.any ? NULL : req->query_params; param != NULL; param = param->next)
		if (!is_taken(names, param->name))
			add_unknown(ctx, names, param->name);
	if (ctx->failure.field_count == 0)
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "query-unknown", "%s", ctx->failure.fields[0].detail);
}

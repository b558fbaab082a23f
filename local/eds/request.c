#include "local/eds/request.h"
#include "local/eds/commands.h"
#include "runtime/json-format.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "local/eds/client.h"
#include "local/eds/show.h"

enum {
	UUID_LENGTH = 36,
	PATH_BYTES_MAX = 64 * 1024,
	/* maximum number of pages that are read; a page has up to a thousand domains */
	PAGES_MAX = 100,
};

char *cli_percent(struct rt_ctx *ctx, const char *text)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, PATH_BYTES_MAX);
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80 && (isalnum(c) || strchr("-._~", c) != NULL))
			rt_buffer_add(&out, text, 1);
		else
			rt_buffer_format(&out, "%%%02X", c);
	}
	return out.bytes;
}

static bool is_id(const char *text)
{
	return strlen(text) == UUID_LENGTH &&
		strspn(text, "0123456789abcdefABCDEF-") == UUID_LENGTH;
}

/* The id of the domain with this name, if it is on the page; else NULL. */
static const char *id_on(const json_t *page, const char *name)
{
	const json_t *domains = json_object_get(page, "data");

	for (size_t i = 0; i < json_array_size(domains); i++) {
		const json_t *domain = json_array_get(domains, i);
		const char *other = rt_json_string(domain, "name");

		if (other != NULL && strcasecmp(other, name) == 0)
			return rt_json_string(domain, "id");
	}
	return NULL;
}

/* Finds the id of a domain, since a path contains the id but people may give the name. */
static int find_domain(struct cli_call *call, const char *name, const char **id)
{
	struct cli_request request = {.method = "GET", .path = "/api/v1/domains?limit=1000"};
	struct cli_answer answer;

	*id = is_id(name) ? name : NULL;
	for (int page = 0; *id == NULL && request.path != NULL && page < PAGES_MAX; page++) {
		int status = cli_ask(call, &request, &answer);

		if (status != CLI_DONE)
			return status;
		*id = id_on(answer.json, name);
		request.path = answer.next;
	}
	if (*id != NULL)
		return CLI_DONE;
	cli_complain(call, "the account has no domain %s; eds domains add %s adds it", name, name);
	return CLI_REFUSED;
}

/* Adds "domains/ID/" for the domain that --domain names. Without --domain adds nothing: the path is
 * then that of the whole account. */
static int add_scope(struct cli_call *call, struct rt_buffer *path)
{
	const char *name = cli_given(call, "domain");
	const char *id;
	int status;

	if (name == NULL)
		return CLI_DONE;
	status = find_domain(call, name, &id);
	if (status == CLI_DONE)
		rt_buffer_format(path, "domains/%s/", cli_percent(call->ctx, id));
	return status;
}

static int add_place(struct cli_call *call, struct rt_buffer *path, const char *name)
{
	const char *value = cli_word(call, name);
	int status = CLI_DONE;

	if (strcmp(name, "SCOPE") == 0)
		return add_scope(call, path);
	if (strcmp(name, "DOMAIN") == 0)
		status = find_domain(call, value, &value);
	if (status == CLI_DONE)
		rt_buffer_text(path, cli_percent(call->ctx, value));
	return status;
}

/* Writes the path of the command, with the arguments in place of its {PLACES}. */
static int fill_path(struct cli_call *call, struct rt_buffer *path)
{
	const char *at = call->command->path;
	int status = CLI_DONE;

	while (*at != '\0' && status == CLI_DONE) {
		size_t plain = strcspn(at, "{");
		size_t name = at[plain] == '{' ? strcspn(at + plain, "}") : 0;

		rt_buffer_add(path, at, plain);
		if (name > 0)
			status = add_place(
				call, path, rt_memdup(call->ctx, at + plain + 1, name - 1));
		at += plain + (name > 0 ? name + 1 : 0);
	}
	return status;
}

static void add_member(struct rt_buffer *path, const char *name, const char *value)
{
	rt_buffer_format(path, "%s%s=%s", strchr(path->bytes, '?') == NULL ? "?" : "&", name,
		cli_percent(path->ctx, value));
}

static void add_query(struct cli_call *call, struct rt_buffer *path)
{
	const struct cli_usual *usual = call->command->usual;

	for (size_t i = 0; i < call->given_count; i++)
		if (cli_has_word(call->command->query, call->given[i].option->name))
			add_member(path, call->given[i].option->name, call->given[i].value);
	if (usual != NULL && cli_given(call, usual->name) == NULL)
		add_member(path, usual->name, usual->value);
}

int cli_request_path(struct cli_call *call, const char **path)
{
	struct rt_buffer out;
	int status;

	rt_buffer_init(&out, call->ctx, PATH_BYTES_MAX);
	status = fill_path(call, &out);
	if (status == CLI_DONE)
		add_query(call, &out);
	*path = out.bytes;
	return status;
}

static int show_answer(struct cli_call *call, const struct cli_answer *answer)
{
	const json_t *data = json_object_get(answer->json, "data");

	if (call->json)
		cli_print_json(call, answer->body, answer->length);
	return call->command->show(call, data);
}

int cli_run_request(struct cli_call *call)
{
	const struct cli_command *command = call->command;
	struct cli_request request = {.method = command->method, .type = "application/json"};
	struct cli_answer answer;
	json_t *body = NULL;
	int status;

	if (command->body != NULL && (body = command->body(call)) == NULL)
		return CLI_USAGE;
	status = cli_request_path(call, &request.path);
	if (status != CLI_DONE)
		return status;
	if (body != NULL)
		request.body = rt_json_format(call->ctx, body, &request.length);
	status = cli_ask(call, &request, &answer);
	if (status != CLI_DONE)
		return status;
	status = show_answer(call, &answer);
	if (answer.cursor != NULL)
		cli_complain(call, "there is more: --cursor %s", answer.cursor);
	return status;
}

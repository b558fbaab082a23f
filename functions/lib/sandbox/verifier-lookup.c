#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "functions/lib/sandbox/verifier-lookup.h"
#include "functions/lib/sandbox/verifier.h"

enum {
	ANSWERS_MAX = 4 * EDS_DNS_QUERIES_MAX, /* maximum number of answers kept; higher than the
						* number of questions that the parent allows a
						* child */
};

struct entry {
	struct eds_dns_answer answer;
	struct entry *next;
};

struct eds_verifier_lookup {
	struct rt_ctx *ctx;
	struct eds_frame_reader *reader;
	struct entry *entries;
	size_t count;
};

struct eds_verifier_lookup *eds_verifier_lookup_new(
	struct rt_ctx *ctx, struct eds_frame_reader *reader)
{
	struct eds_verifier_lookup *lookup = rt_alloc(ctx, sizeof *lookup);

	lookup->ctx = ctx;
	lookup->reader = reader;
	return lookup;
}

static const struct eds_dns_answer *receive(struct eds_verifier_lookup *lookup)
{
	struct entry *entry = rt_alloc(lookup->ctx, sizeof *entry);
	struct eds_wire payload;
	uint32_t kind;

	if (eds_frame_read(lookup->reader, &kind, &payload) != EDS_FRAME_WHOLE ||
		kind != EDS_FRAME_ANSWER || !eds_get_answer(lookup->ctx, &payload, &entry->answer))
		return NULL;
	entry->next = lookup->entries;
	lookup->entries = entry;
	lookup->count++;
	return &entry->answer;
}

bool eds_verifier_lookup_ahead(struct eds_verifier_lookup *lookup, uint32_t answers)
{
	for (uint32_t i = 0; i < answers; i++)
		if (receive(lookup) == NULL)
			return false;
	return true;
}

static const struct eds_dns_answer *known(
	const struct eds_verifier_lookup *lookup, const char *name, enum eds_dns_type type)
{
	for (const struct entry *entry = lookup->entries; entry != NULL; entry = entry->next)
		if (entry->answer.type == type && strcasecmp(entry->answer.name, name) == 0)
			return &entry->answer;
	return NULL;
}

/* Makes an answer without asking the parent, for a name that is too long, or after too many
 * questions. */
static const struct eds_dns_answer *own_answer(struct eds_verifier_lookup *lookup, const char *name,
	enum eds_dns_type type, enum eds_dns_state state)
{
	struct eds_dns_answer *answer = rt_alloc(lookup->ctx, sizeof *answer);

	answer->name = answer->canonical = name;
	answer->type = type;
	answer->state = state;
	answer->reason = state == EDS_DNS_TEMPORARY ? "too many questions" : "";
	return answer;
}

/* The name in lower case and without a final dot, like the names in answers. */
static const char *normal_name(struct rt_ctx *ctx, const char *name)
{
	char *normal = rt_lower(ctx, name);
	size_t length = strlen(normal);

	if (length > 0 && normal[length - 1] == '.')
		normal[length - 1] = '\0';
	return normal;
}

static const struct eds_dns_answer *get(void *arg, const char *asked, enum eds_dns_type type)
{
	struct eds_verifier_lookup *lookup = arg;
	const char *name = normal_name(lookup->ctx, asked);
	const struct eds_dns_answer *answer = known(lookup, name, type);
	struct rt_buffer out;

	if (answer != NULL)
		return answer;
	if (strlen(name) > EDS_DNS_NAME_MAX)
		return own_answer(lookup, name, type, EDS_DNS_NO_NAME);
	if (lookup->count == ANSWERS_MAX)
		return own_answer(lookup, name, type, EDS_DNS_TEMPORARY);
	rt_buffer_init(&out, lookup->ctx, EDS_FRAME_BYTES_MAX);
	eds_put_question(&out, name, type);
	eds_child_write(lookup->reader->fd, &out);
	answer = receive(lookup);
	if (answer == NULL)
		_exit(EDS_CHILD_EXIT_ALONE);
	return answer;
}

struct eds_lookup eds_verifier_lookup_view(struct eds_verifier_lookup *lookup)
{
	return (struct eds_lookup){.get = get, .arg = lookup};
}

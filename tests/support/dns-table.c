#include "tests/support/dns-table.h"

#include <string.h>

#include "tests/support/zone.h"

enum {
	ASKED_MAX = 512,
};

struct asked {
	const char *name;
	enum eds_dns_type type;
};

struct eds_dns {
	struct zone zone;
	struct asked asked[ASKED_MAX];
	size_t asked_count;
};

static const char *table = "";
static struct eds_dns only;

void dns_table(const char *lines)
{
	table = lines;
}

bool dns_table_asked(const char *name, enum eds_dns_type type)
{
	for (size_t i = 0; i < only.asked_count; i++)
		if (only.asked[i].type == type && strcmp(only.asked[i].name, name) == 0)
			return true;
	return false;
}

rt_status eds_dns_open(struct rt_ctx *ctx, struct eds_dns **dns)
{
	memset(&only, 0, sizeof only);
	zone_init(&only.zone, ctx);
	zone_load(&only.zone, table);
	*dns = &only;
	return RT_OK;
}

void eds_dns_start(struct eds_dns *dns, const char *name, enum eds_dns_type type)
{
	if (!dns_table_asked(name, type) && dns->asked_count < ASKED_MAX)
		dns->asked[dns->asked_count++] = (struct asked){
			rt_strdup(dns->zone.ctx, name), type};
}

const struct eds_dns_answer *eds_dns_get(
	struct eds_dns *dns, const char *name, enum eds_dns_type type)
{
	struct eds_lookup lookup = zone_lookup(&dns->zone);

	eds_dns_start(dns, name, type);
	return lookup.get(lookup.arg, name, type);
}

static const char *name_at(
	struct eds_dns *dns, const struct eds_dns_server *server, const char *name)
{
	char address[RT_IP_TEXT_MAX];

	rt_ip_format(&server->ip, address);
	return rt_printf(dns->zone.ctx, "%s@%s", name, address);
}

bool eds_dns_was_asked_from(struct eds_dns *dns, const struct eds_dns_server *server,
	const char *name, enum eds_dns_type type)
{
	return dns_table_asked(name_at(dns, server, name), type);
}

/* The answer of one server is the line for NAME@ADDRESS if there is one, else the line for NAME. */
const struct eds_dns_answer *eds_dns_get_from(struct eds_dns *dns,
	const struct eds_dns_server *server, const char *name, enum eds_dns_type type)
{
	struct eds_lookup lookup = zone_lookup(&dns->zone);
	struct eds_dns_answer *answer = rt_alloc(dns->zone.ctx, sizeof *answer);
	const char *own = name_at(dns, server, name);

	eds_dns_start(dns, own, type);
	*answer = *lookup.get(lookup.arg, own, type);
	if (answer->state == EDS_DNS_NO_NAME)
		*answer = *lookup.get(lookup.arg, name, type);
	answer->authoritative = answer->count == 0 ||
		strcmp(answer->records[0].txt, "without authority") != 0;
	return answer;
}

const struct eds_dns_answer *eds_dns_peek(
	struct eds_dns *dns, const char *name, enum eds_dns_type type)
{
	return dns_table_asked(name, type) ? eds_dns_get(dns, name, type) : NULL;
}

void eds_dns_when(struct eds_dns *dns, const char *name, enum eds_dns_type type,
	eds_dns_callback callback, void *arg)
{
	callback(arg, eds_dns_get(dns, name, type));
}

void eds_dns_settle(struct eds_dns *dns, int max_ms)
{
	(void)dns;
	(void)max_ms;
}

size_t eds_dns_query_count(const struct eds_dns *dns)
{
	return dns->asked_count;
}

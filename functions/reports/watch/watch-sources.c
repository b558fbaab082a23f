#include "functions/reports/watch/watch-sources.h"
#include "runtime/time.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/store/reports/report-pack.h"
#include "functions/reports/sources/source-name.h"
#include "functions/reports/sources/source-operator.h"
#include "functions/reports/watch/watch-rules.h"
#include "runtime/ip.h"

enum {
	NEW_DAYS = 3,
	HISTORY_DAYS = 10, /* the domain's first message must be at least this many days old */
	NEW_NAMED_MAX = 20,
	OLD_NAMED_MAX = 30,
	/* If the next lookup of a source's name is due within this time, DNS did not answer the
	 * previous lookup. After an answer the next lookup is due much later. */
	SOON_MS = 3600 * 1000,
};

struct place {
	struct eds_report_source *source;
	const char *who;
	const char *network;
};

struct looking {
	struct rt_ctx *ctx;
	int64_t today;
	/* the new sources, then the others; each of the two parts begins with the sources that have
	 * the most messages */
	struct place *places;
	size_t count;
	size_t new_count;
	struct report_new_source *groups;
	size_t group_count;
};

static int64_t all_of(const struct eds_report_sum *sum)
{
	return eds_pack_plus(eds_pack_plus(sum->passed, sum->forwarded), sum->failed);
}

static bool is_new(const struct looking *looking, const struct eds_report_source *source)
{
	return source->sum.first_day >= looking->today - NEW_DAYS;
}

/* True if there may be new sources to report. On most days there are none, and then no names need
 * to be looked up. */
static bool may_have_new(
	const struct looking *looking, const struct eds_report_source *sources, size_t count)
{
	bool has_history = false;
	int64_t messages = 0;

	for (size_t i = 0; i < count; i++) {
		if (is_new(looking, &sources[i]))
			messages = eds_pack_plus(messages, all_of(&sources[i].sum));
		has_history |= sources[i].sum.first_day <= looking->today - HISTORY_DAYS;
	}
	return has_history && messages >= REPORT_NEW_SOURCE_MESSAGES;
}

static void add_places(
	struct looking *looking, struct eds_report_source *sources, size_t count, bool new)
{
	for (size_t i = 0; i < count; i++)
		if (is_new(looking, &sources[i]) == new &&*sources[i].sum.key != '\0')
			looking->places[looking->count++].source = &sources[i];
}

/* Looks up the names of the new and the old sources with the most messages, and stores the names
 * for the next examination. */
static rt_status name_some(struct looking *looking, struct eds_store *store)
{
	struct eds_report_source some[NEW_NAMED_MAX + OLD_NAMED_MAX];
	struct eds_report_source *from[NEW_NAMED_MAX + OLD_NAMED_MAX];
	struct eds_report_source *asked;
	size_t asked_count;
	size_t count = 0;

	for (size_t i = 0; i < looking->count; i++) {
		bool is_old = i >= looking->new_count;
		size_t place = is_old ? i - looking->new_count : i;

		if (place >= (is_old ? OLD_NAMED_MAX : NEW_NAMED_MAX))
			continue;
		from[count] = looking->places[i].source;
		some[count] = *from[count];
		count++;
	}
	RT_TRY(report_sources_name(looking->ctx, some, count, false, &asked, &asked_count));
	for (size_t i = 0; i < count; i++)
		*from[i] = some[i];
	return eds_store_source_names_keep(looking->ctx, store, asked, asked_count);
}

static const char *network_of(struct rt_ctx *ctx, const char *address)
{
	char text[RT_IP_TEXT_MAX];
	struct rt_ip ip;
	size_t octets;

	if (!rt_ip_parse(address, &ip))
		return address;
	octets = ip.family == AF_INET6 ? 6 : 3;
	memset(ip.bytes + octets, 0, sizeof ip.bytes - octets);
	rt_ip_format(&ip, text);
	return rt_printf(ctx, "%s/%zu", text, octets * 8);
}

/* The name of the operator, or of the group that the source belongs to: hosts of one domain, such
 * as "mail.example.net" and "mx2.example.net", usually have one operator. */
static const char *who_has(struct rt_ctx *ctx, const struct place *place)
{
	const struct eds_sender *operator= report_source_operator(ctx, place->source);
	const char *host = place->source->name;
	const char *parent;

	if (operator!= NULL)
		return operator->name;
	if (host == NULL || *host == '\0')
		return place->network;
	parent = strchr(host, '.');
	parent = parent != NULL && strchr(parent + 1, '.') != NULL ? parent + 1 : host;
	return rt_printf(ctx, "hosts of %s", parent);
}

static void tell_apart(struct looking *looking)
{
	for (size_t i = 0; i < looking->count; i++) {
		struct place *place = &looking->places[i];

		place->network = network_of(looking->ctx, place->source->sum.key);
		place->who = who_has(looking->ctx, place);
	}
}

static bool was_there(const struct looking *looking, const struct place *place)
{
	for (size_t i = looking->new_count; i < looking->count; i++)
		if (strcmp(looking->places[i].who, place->who) == 0 ||
			strcmp(looking->places[i].network, place->network) == 0)
			return true;
	return false;
}

/* True while a new source is not reported because DNS has not answered the question for its name.
 * On the last day on which the source counts as new, the source is reported without a name. */
static bool waits_for_name(const struct looking *looking, const struct eds_report_source *source)
{
	bool is_named = source->name != NULL && *source->name != '\0';
	bool is_open = source->name == NULL || source->ask_at_ms < rt_wall_ms() + SOON_MS;

	return !is_named && is_open && source->sum.first_day > looking->today - NEW_DAYS;
}

static struct report_new_source *group_of(struct looking *looking, const struct place *place)
{
	const struct eds_report_source *source = place->source;
	struct report_new_source *group;

	for (size_t i = 0; i < looking->group_count; i++)
		if (strcmp(looking->groups[i].who, place->who) == 0)
			return &looking->groups[i];
	group = &looking->groups[looking->group_count++];
	*group = (struct report_new_source){.who = place->who,
		.address = source->sum.key,
		.host = source->name != NULL ? source->name : "",
		.first_day = source->sum.first_day};
	return group;
}

static void take(struct looking *looking, const struct place *place)
{
	const struct eds_report_sum *sum = &place->source->sum;
	struct report_new_source *group;

	if (was_there(looking, place) || waits_for_name(looking, place->source) ||
		report_source_class(looking->ctx, place->source) == REPORT_SOURCE_FORWARDER)
		return;
	group = group_of(looking, place);
	group->messages = eds_pack_plus(group->messages, all_of(sum));
	group->failed = eds_pack_plus(group->failed, sum->failed);
	if (sum->first_day < group->first_day)
		group->first_day = sum->first_day;
}

static int compare_messages(const void *left, const void *right)
{
	const struct report_new_source *a = left;
	const struct report_new_source *b = right;

	if (a->messages != b->messages)
		return a->messages > b->messages ? -1 : 1;
	return strcmp(a->who, b->who);
}

static size_t choose(struct looking *looking, struct report_new_source *found)
{
	size_t count = 0;

	if (looking->group_count > 0)
		qsort(looking->groups, looking->group_count, sizeof *looking->groups,
			compare_messages);
	while (count < looking->group_count && count < REPORT_NEW_SOURCES_MAX &&
		looking->groups[count].messages >= REPORT_NEW_SOURCE_MESSAGES) {
		found[count] = looking->groups[count];
		count++;
	}
	return count;
}

rt_status report_new_sources(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, int64_t today, struct report_new_source *found,
	size_t *count)
{
	const struct eds_report_sums_query query = {.from_day = today - REPORT_WATCH_DAYS,
		.to_day = today - 1,
		.class = -1,
		.reporter = ""};
	struct looking looking = {.ctx = ctx, .today = today};
	struct eds_report_source *sources;
	size_t source_count;

	*count = 0;
	RT_TRY(eds_store_report_sources(ctx, store, domain, &query, &sources, &source_count));
	if (!may_have_new(&looking, sources, source_count))
		return RT_OK;
	looking.places = rt_alloc_array(ctx, source_count, sizeof *looking.places);
	add_places(&looking, sources, source_count, true);
	looking.new_count = looking.count;
	add_places(&looking, sources, source_count, false);
	looking.groups = rt_alloc_array(ctx, looking.new_count + 1, sizeof *looking.groups);
	RT_TRY(name_some(&looking, store));
	tell_apart(&looking);
	for (size_t i = 0; i < looking.new_count; i++)
		take(&looking, &looking.places[i]);
	*count = choose(&looking, found);
	return RT_OK;
}

#include "tests/support/zone.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	enum eds_dns_type type;
} types[] = {
	{"A", EDS_DNS_A},
	{"AAAA", EDS_DNS_AAAA},
	{"CNAME", EDS_DNS_CNAME},
	{"MX", EDS_DNS_MX},
	{"NS", EDS_DNS_NS},
	{"PTR", EDS_DNS_PTR},
	{"TXT", EDS_DNS_TXT},
	{"TLSA", EDS_DNS_TLSA},
	{"CAA", EDS_DNS_CAA},
};

void zone_init(struct zone *zone, struct rt_ctx *ctx)
{
	*zone = (struct zone){.ctx = ctx};
	zone->entries = rt_alloc_array(ctx, ZONE_RECORDS_MAX, sizeof *zone->entries);
}

static char *without_final_dot(struct rt_ctx *ctx, const char *name)
{
	char *copy = rt_strdup(ctx, name);
	size_t length = strlen(copy);

	if (length > 0 && copy[length - 1] == '.')
		copy[length - 1] = '\0';
	return copy;
}

static struct zone_entry *next_entry(struct zone *zone, const char *name)
{
	struct zone_entry *entry;

	if (zone->count == ZONE_RECORDS_MAX)
		return NULL;
	entry = &zone->entries[zone->count++];
	entry->name = without_final_dot(zone->ctx, name);
	return entry;
}

/* TLSA data as text, such as "3 1 1 0a0b…". */
static void set_tlsa(struct rt_ctx *ctx, struct eds_dns_record *record, const char *text)
{
	char *data = rt_alloc(ctx, strlen(text) + 1);
	char *at = (char *)text;
	size_t length = 0;

	for (; length < 3; length++)
		data[length] = (char)strtoul(at, &at, 10);
	for (at += strspn(at, " "); at[0] != '\0' && at[1] != '\0'; at += 2)
		data[length++] = (char)strtoul((char[]){at[0], at[1], '\0'}, NULL, 16);
	record->txt = data;
	record->txt_length = length;
}

/* CAA data as text, such as "0 issue ca.example". */
static void set_caa(struct rt_ctx *ctx, struct eds_dns_record *record, const char *text)
{
	char *tag;
	unsigned long flags = strtoul(text, &tag, 10);
	size_t length = strcspn(++tag, " ");
	const char *value = tag + length + (tag[length] == ' ');
	char *data = rt_alloc(ctx, 2 + strlen(tag) + 1);

	data[0] = (char)flags;
	data[1] = (char)length;
	memcpy(data + 2, tag, length);
	memcpy(data + 2 + length, value, strlen(value));
	record->txt = data;
	record->txt_length = 2 + length + strlen(value);
}

static void set_data(struct zone *zone, struct eds_dns_record *record, enum eds_dns_type type,
	const void *data, size_t length)
{
	char *text = rt_memdup(zone->ctx, data, length);

	if (type == EDS_DNS_A || type == EDS_DNS_AAAA) {
		rt_ip_parse(text, &record->ip);
	} else if (type == EDS_DNS_TXT) {
		record->txt = text;
		record->txt_length = length;
	} else if (type == EDS_DNS_TLSA) {
		set_tlsa(zone->ctx, record, text);
	} else if (type == EDS_DNS_CAA) {
		set_caa(zone->ctx, record, text);
	} else if (type == EDS_DNS_MX) {
		char *host;

		record->preference = (uint16_t)strtoul(text, &host, 10);
		record->name = without_final_dot(zone->ctx, host + strspn(host, " "));
	} else {
		record->name = without_final_dot(zone->ctx, text);
	}
}

void zone_add(struct zone *zone, const char *name, enum eds_dns_type type, const void *data,
	size_t length)
{
	struct zone_entry *entry = next_entry(zone, name);

	if (entry == NULL)
		return;
	entry->type = type;
	set_data(zone, &entry->record, type, data, length);
}

void zone_fail(struct zone *zone, const char *name, const char *reason)
{
	struct zone_entry *entry = next_entry(zone, name);

	if (entry == NULL)
		return;
	entry->fails = true;
	entry->reason = rt_strdup(zone->ctx, reason);
}

static void load_line(struct zone *zone, char *line)
{
	char *type = strchr(line, ' ');
	char *data = type != NULL ? strchr(type + 1, ' ') : NULL;

	if (data == NULL)
		return;
	*type++ = '\0';
	*data++ = '\0';
	if (strcmp(type, "FAIL") == 0)
		zone_fail(zone, line, data);
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strcmp(type, types[i].name) == 0)
			zone_add(zone, line, types[i].type, data, strlen(data));
}

void zone_load(struct zone *zone, const char *lines)
{
	while (*lines != '\0') {
		size_t length = strcspn(lines, "\n");

		load_line(zone, rt_memdup(zone->ctx, lines, length));
		lines += length + (lines[length] == '\n');
	}
}

static bool name_possible(const char *name)
{
	size_t label = 0;

	if (strlen(name) > EDS_DNS_NAME_MAX)
		return false;
	for (; *name != '\0'; name++) {
		if (*name != '.' && ++label > 63)
			return false;
		if (*name == '.' && label == 0)
			return false;
		if (*name == '.')
			label = 0;
	}
	return label > 0;
}

static enum eds_dns_failure failure_of(const char *reason)
{
	static const struct {
		const char *reason;
		enum eds_dns_failure failure;
	} known[] = {{"SERVFAIL", EDS_DNS_SERVFAIL}, {"REFUSED", EDS_DNS_REFUSED},
		{"referral", EDS_DNS_REFERRAL}, {"silence", EDS_DNS_TIMED_OUT}};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(known[i].reason, reason) == 0)
			return known[i].failure;
	return EDS_DNS_OTHER_FAILURE;
}

static void collect(struct zone *zone, struct eds_dns_answer *answer)
{
	answer->records = rt_alloc_array(zone->ctx, zone->count + 1, sizeof *answer->records);
	for (size_t i = 0; i < zone->count; i++) {
		const struct zone_entry *entry = &zone->entries[i];

		if (strcasecmp(entry->name, answer->canonical) != 0)
			continue;
		if (answer->state == EDS_DNS_NO_NAME)
			answer->state = EDS_DNS_NO_DATA;
		if (entry->fails && answer->count == 0) {
			answer->state = EDS_DNS_TEMPORARY;
			answer->reason = entry->reason;
			answer->failure = failure_of(entry->reason);
		} else if (entry->type == answer->type && !entry->fails) {
			answer->state = EDS_DNS_FOUND;
			answer->records[answer->count++] = entry->record;
		}
	}
}

static bool follow_cname(struct zone *zone, struct eds_dns_answer *answer)
{
	for (size_t i = 0; i < zone->count; i++) {
		const struct zone_entry *entry = &zone->entries[i];

		if (entry->type != EDS_DNS_CNAME || entry->fails ||
			strcasecmp(entry->name, answer->canonical) != 0)
			continue;
		answer->canonical = entry->record.name;
		answer->aliased = true;
		return true;
	}
	return false;
}

static const struct eds_dns_answer *get(void *arg, const char *name, enum eds_dns_type type)
{
	struct zone *zone = arg;
	struct eds_dns_answer *answer = rt_alloc(zone->ctx, sizeof *answer);

	zone->asked++;
	answer->name = without_final_dot(zone->ctx, rt_lower(zone->ctx, name));
	answer->canonical = answer->name;
	answer->type = type;
	answer->state = EDS_DNS_NO_NAME;
	answer->reason = "";
	if (!name_possible(answer->name))
		return answer;
	for (int hops = 0; type != EDS_DNS_CNAME && follow_cname(zone, answer); hops++) {
		if (hops < ZONE_CNAMES_MAX)
			continue;
		answer->state = EDS_DNS_TEMPORARY;
		answer->reason = "CNAME loop";
		return answer;
	}
	collect(zone, answer);
	return answer;
}

struct eds_lookup zone_lookup(struct zone *zone)
{
	return (struct eds_lookup){.get = get, .arg = zone};
}

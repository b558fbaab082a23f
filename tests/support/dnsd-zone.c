#include "tests/support/dnsd-zone.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/arena.h"
#include "tests/support/dnsd-line.h"

enum {
	BUCKETS = 1 << 16,
};

struct zone {
	struct rt_arena *memory;
	struct zone_node *buckets[BUCKETS];
	struct zone_behavior *global;
};

size_t wire_length(const uint8_t *name)
{
	const uint8_t *at = name;

	while (*at != 0)
		at += *at + 1;
	return (size_t)(at - name) + 1;
}

static struct zone_node **bucket(struct zone *zone, const uint8_t *name, size_t length)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ name[i]) * 16777619U;
	return &zone->buckets[(hash ^ hash >> 16) % BUCKETS];
}

static struct zone_node *exact(struct zone *zone, const uint8_t *name)
{
	size_t length = wire_length(name);
	struct zone_node *node = *bucket(zone, name, length);

	while (node != NULL && memcmp(node->name, name, length) != 0)
		node = node->next;
	return node;
}

/* Makes the node and its parents, which exist because of it (RFC 8020). */
static struct zone_node *add_node(struct zone *zone, const uint8_t *name)
{
	struct zone_node *found = exact(zone, name);
	size_t length = wire_length(name);
	struct zone_node **head = bucket(zone, name, length);

	if (found != NULL)
		return found;
	found = rt_arena_alloc(zone->memory, sizeof *found);
	memcpy(found->name, name, length);
	found->next = *head;
	*head = found;
	if (name[0] != 0)
		(void)add_node(zone, name + name[0] + 1);
	return found;
}

struct zone_node *zone_find(struct zone *zone, const uint8_t *name)
{
	struct zone_node *node = exact(zone, name);
	uint8_t wildcard[ZONE_NAME_MAX + 2] = {1, '*'};

	while (node == NULL && name[0] != 0) {
		name += name[0] + 1;
		if (exact(zone, name) == NULL)
			continue;
		memcpy(wildcard + 2, name, wire_length(name));
		return exact(zone, wildcard);
	}
	return node;
}

static struct zone_behavior *first_for(struct zone_behavior *behavior, uint16_t type)
{
	while (behavior != NULL && behavior->type != type && behavior->type != TYPE_ANY)
		behavior = behavior->next;
	return behavior;
}

struct zone_behavior *zone_behavior(struct zone *zone, struct zone_node *node, uint16_t type)
{
	struct zone_behavior *own = node != NULL ? first_for(node->behaviors, type) : NULL;

	return own != NULL ? own : zone->global;
}

const struct zone_record *zone_soa(struct zone *zone, const uint8_t *name, const uint8_t **apex)
{
	for (;; name += name[0] + 1) {
		struct zone_node *node = exact(zone, name);

		for (struct zone_record *r = node != NULL ? node->records : NULL; r != NULL;
			r = r->next)
			if (r->type == TYPE_SOA) {
				*apex = node->name;
				return r;
			}
		if (name[0] == 0)
			return NULL;
	}
}

static void keep_record(struct zone *zone, struct zone_node *node, const struct zone_line *line)
{
	struct zone_record **end = &node->records;
	struct zone_record *record = rt_arena_alloc(zone->memory, sizeof *record);

	*record = line->record;
	record->data = rt_arena_alloc(zone->memory, record->length);
	memcpy(record->data, line->record.data, record->length);
	while (*end != NULL)
		end = &(*end)->next;
	*end = record;
}

static void keep_behavior(
	struct zone *zone, struct zone_behavior **head, const struct zone_line *line)
{
	struct zone_behavior *behavior = rt_arena_alloc(zone->memory, sizeof *behavior);

	*behavior = line->behavior;
	behavior->next = *head;
	*head = behavior;
}

static void keep(struct zone *zone, const struct zone_line *line)
{
	struct zone_node *node;

	if (line->empty)
		return;
	if (line->global) {
		keep_behavior(zone, &zone->global, line);
		return;
	}
	node = add_node(zone, line->name);
	if (line->has_record)
		keep_record(zone, node, line);
	if (line->has_behavior)
		keep_behavior(zone, &node->behaviors, line);
}

static bool read_lines(struct zone *zone, FILE *file, char error[256])
{
	char *text = NULL;
	size_t capacity = 0;
	int number = 0;
	bool ok = true;

	while (ok && getline(&text, &capacity, file) >= 0) {
		struct zone_line line;
		const char *fault = zone_line_parse(text, &line);

		number++;
		ok = fault == NULL;
		if (ok)
			keep(zone, &line);
		else
			snprintf(error, 256, "line %d: %s", number, fault);
	}
	free(text);
	return ok;
}

struct zone *zone_load(const char *path, char error[256])
{
	FILE *file = fopen(path, "r");
	struct zone *zone = calloc(1, sizeof *zone);
	bool ok = file != NULL && zone != NULL;

	snprintf(error, 256, "%s cannot be read", path);
	if (ok) {
		zone->memory = rt_arena_new();
		ok = read_lines(zone, file, error);
	}
	if (file != NULL)
		fclose(file);
	if (!ok) {
		zone_free(zone);
		zone = NULL;
	}
	return zone;
}

void zone_free(struct zone *zone)
{
	if (zone != NULL)
		rt_arena_free(zone->memory);
	free(zone);
}

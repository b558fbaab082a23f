#include <string.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"
#include "functions/lib/sandbox/protocol-shape-read.h"
#include "functions/lib/sandbox/protocol.h"
#include "runtime/ip.h"

static void get_part(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_shape_part *part)
{
	part->level = eds_get_count(wire, EDS_SHAPE_LEVELS_MAX);
	part->type = eds_get_shown(ctx, wire, EDS_SHAPE_TYPE_MAX);
	part->file = eds_get_shown(ctx, wire, EDS_SHAPE_NAME_MAX);
	part->attached = eds_get_bool(wire);
	part->container = eds_get_bool(wire);
	part->bytes = eds_get_u32(wire);
}

/* Returns the name in A-labels, or the address; NULL for anything else. */
static const char *host(struct rt_ctx *ctx, const char *text)
{
	char address[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	if (!rt_ip_parse(text, &ip))
		return eds_domain_normalize(ctx, text, strlen(text));
	rt_ip_format(&ip, address);
	return rt_strdup(ctx, address);
}

static void get_domains(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_shape *shape)
{
	size_t count = eds_get_count(wire, EDS_SHAPE_DOMAINS_MAX);

	for (size_t i = 0; i < count && !wire->bad; i++) {
		const char *name = host(ctx, eds_get_shown(ctx, wire, EDS_SHAPE_HOST_MAX));
		bool known = name == NULL;

		for (size_t k = 0; k < shape->domain_count && !known; k++)
			known = strcmp(shape->domains[k], name) == 0;
		if (!known)
			shape->domains[shape->domain_count++] = name;
	}
}

bool eds_get_shape(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_shape *shape)
{
	*shape = (struct eds_shape){.failure = eds_get_shown(ctx, wire, EDS_SHAPE_FAILURE_MAX)};
	shape->part_count = eds_get_count(wire, EDS_SHAPE_PARTS_MAX);
	for (size_t i = 0; i < shape->part_count && !wire->bad; i++)
		get_part(ctx, wire, &shape->parts[i]);
	shape->other_parts = eds_get_u32(wire);
	shape->attachments = eds_get_u32(wire);
	shape->images = eds_get_u32(wire);
	shape->remote_images = eds_get_u32(wire);
	shape->has_text = eds_get_bool(wire);
	shape->has_html = eds_get_bool(wire);
	shape->alternative = eds_get_bool(wire);
	shape->links = eds_get_u32(wire);
	get_domains(ctx, wire, shape);
	shape->more_domains = eds_get_bool(wire);
	shape->whole = eds_get_bool(wire);
	return eds_wire_finished(wire);
}

#include <string.h>
#include <strings.h>

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/published.h"
#include "functions/lib/dmarc/record-edit.h"
#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"

void eds_dmarc_find(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain,
	struct eds_dmarc_published *published)
{
	struct eds_dmarc_walk *walk = rt_alloc(ctx, sizeof *walk);
	const struct eds_dmarc_step *step;
	bool own;

	eds_dmarc_walk(ctx, dns, domain, walk);
	step = eds_dmarc_walk_choose(walk, domain);
	own = step != NULL && strcmp(step->domain, domain) == 0;
	*published = (struct eds_dmarc_published){
		.org_domain = walk->org_domain, .several = walk->several};
	/* the domain's own record applies, whatever the rest of the walk finds */
	published->failed = own ? NULL : walk->failed;
	if (step == NULL)
		return;
	published->found = true;
	published->usable = step->kind == EDS_DMARC_TEXT_USABLE;
	published->domain = step->domain;
	published->text = step->text;
	published->exact = step->exact;
	published->tags = step->record;
	published->of_suffix = !own && step->record.psd == EDS_DMARC_PSD_YES;
	published->policy = own ? step->record.p : step->record.sp;
}

/* Reads "mailto:d@example.com!10m" up to the size or the query. */
static bool read_destination(struct rt_ctx *ctx, const char *text, size_t length,
	struct eds_dmarc_destination *destination)
{
	static const char scheme[] = "mailto:";
	char *address;
	const char *at;

	if (length <= strlen(scheme) || strncasecmp(text, scheme, strlen(scheme)) != 0)
		return false;
	address = rt_memdup(ctx, text + strlen(scheme), length - strlen(scheme));
	address[strcspn(address, "!?")] = '\0';
	at = strrchr(address, '@');
	if (at == NULL || at == address)
		return false;
	destination->address = address;
	destination->domain = eds_domain_normalize(ctx, at + 1, strlen(at + 1));
	return destination->domain != NULL;
}

size_t eds_dmarc_destinations(struct rt_ctx *ctx, const char *record, const char *tag,
	struct eds_dmarc_destination list[EDS_DMARC_DESTINATIONS_MAX])
{
	size_t left;
	size_t count = 0;
	const char *at = eds_dmarc_tag_value(record, tag, &left);

	while (at != NULL && left > 0 && count < EDS_DMARC_DESTINATIONS_MAX) {
		size_t skipped = strspn(at, " \t,");
		size_t length;

		if (skipped >= left)
			break;
		at += skipped;
		left -= skipped;
		length = strcspn(at, ", \t;");
		count += read_destination(ctx, at, length, &list[count]);
		at += length;
		left -= length < left ? length : left;
	}
	return count;
}

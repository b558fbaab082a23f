#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/record.h"
#include "functions/lib/dns/shown-text.h"

#include <string.h>
#include <strings.h>

enum {
	LABELS_AFTER_FIRST = 7, /* after its first name, a walk continues at the name's last 7
				 * labels if the name has more (section 4.10 step 4) */
};

static size_t count_labels(const char *domain)
{
	size_t labels = *domain != '\0';

	for (; *domain; domain++)
		labels += *domain == '.';
	return labels;
}

/* The domain without its first label; NULL when it has only one. */
static const char *parent_of(const char *domain)
{
	const char *dot = strchr(domain, '.');

	return dot ? dot + 1 : NULL;
}

size_t eds_dmarc_walk_names(const char *domain, const char *names[EDS_DMARC_WALK_MAX])
{
	size_t count = 0;

	names[count++] = domain;
	domain = parent_of(domain);
	while (domain && count_labels(domain) > LABELS_AFTER_FIRST)
		domain = parent_of(domain);
	for (; domain && count < EDS_DMARC_WALK_MAX; domain = parent_of(domain))
		names[count++] = domain;
	return count;
}

static const char *record_name(struct rt_ctx *ctx, const char *domain)
{
	return rt_printf(ctx, "_dmarc.%s", domain);
}

void eds_dmarc_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain)
{
	const char *names[EDS_DMARC_WALK_MAX];
	size_t count = eds_dmarc_walk_names(domain, names);

	for (size_t i = 0; i < count; i++)
		eds_dns_start(dns, record_name(ctx, names[i]), EDS_DNS_TXT);
}

/* True for a record that was meant for DMARC: it begins with "v=dmarc", in upper or lower case,
 * perhaps after white space and quotation marks. */
static bool is_meant(const struct eds_dns_record *txt)
{
	static const char version[] = "v=dmarc";
	size_t at = 0;

	while (at < txt->txt_length && strchr(" \t\"'", txt->txt[at]) != NULL)
		at++;
	return txt->txt_length - at >= strlen(version) &&
		strncasecmp(txt->txt + at, version, strlen(version)) == 0;
}

const char *eds_dmarc_misspelt(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain)
{
	const struct eds_dns_answer *answer = eds_dns_get(
		dns, record_name(ctx, domain), EDS_DNS_TXT);

	for (size_t i = 0; answer->state == EDS_DNS_FOUND && i < answer->count; i++) {
		const struct eds_dns_record *txt = &answer->records[i];
		struct eds_dmarc_record record;

		if (is_meant(txt) &&
			eds_dmarc_record_read(ctx, txt->txt, txt->txt_length, &record) ==
				EDS_DMARC_TEXT_OTHER)
			return eds_dns_shown_text(ctx, txt->txt, txt->txt_length);
	}
	return NULL;
}

/* Drops the texts that are not DMARC records, and all records when there are several (step 2). */
static bool read_records(struct rt_ctx *ctx, const struct eds_dns_answer *answer,
	struct eds_dmarc_step *step, bool *several)
{
	size_t found = 0;

	for (size_t i = 0; i < answer->count; i++) {
		const struct eds_dns_record *txt = &answer->records[i];
		struct eds_dmarc_record record;
		enum eds_dmarc_text kind = eds_dmarc_record_read(
			ctx, txt->txt, txt->txt_length, &record);

		if (kind == EDS_DMARC_TEXT_OTHER)
			continue;
		found++;
		step->kind = kind;
		step->record = record;
		step->text = eds_dns_shown_text(ctx, txt->txt, txt->txt_length);
		step->exact = memcmp(step->text, txt->txt, txt->txt_length) == 0;
	}
	*several = found > 1;
	return found == 1;
}

/* True when the walk ends here, at a record with psd=y or psd=n (steps 2 and 6). */
static bool take_answer(struct rt_ctx *ctx, const struct eds_dns_answer *answer, const char *domain,
	struct eds_dmarc_walk *walk)
{
	struct eds_dmarc_step *step = &walk->steps[walk->count];
	bool several = false;

	if (answer->state == EDS_DNS_TEMPORARY && walk->failed == NULL)
		walk->failed = domain;
	if (answer->state != EDS_DNS_FOUND)
		return false;
	step->domain = domain;
	if (read_records(ctx, answer, step, &several)) {
		walk->count++;
		return step->record.psd != EDS_DMARC_PSD_UNKNOWN;
	}
	if (several && walk->several == NULL)
		walk->several = domain;
	return false;
}

/* The last `labels` labels of the domain; the whole domain when it has fewer. */
static const char *last_labels(const char *domain, size_t labels)
{
	while (count_labels(domain) > labels)
		domain = parent_of(domain);
	return domain;
}

/* The organizational domain (section 4.10.2). The last step decides: a record with psd=y or psd=n
 * ends the walk; without such a record the last step has the domain with the fewest labels. */
static const char *org_domain(const char *start, const struct eds_dmarc_walk *walk)
{
	const struct eds_dmarc_step *top;

	if (walk->count == 0)
		return start;
	top = &walk->steps[walk->count - 1];
	/* psd=y marks the record of a public suffix. The organizational domain then has one label
	 * more than the suffix, unless the walk began at the suffix itself. */
	if (top->record.psd == EDS_DMARC_PSD_YES)
		return last_labels(start, count_labels(top->domain) + 1);
	return top->domain;
}

void eds_dmarc_walk(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_dmarc_walk *walk)
{
	const char *names[EDS_DMARC_WALK_MAX];
	size_t count = eds_dmarc_walk_names(domain, names);

	*walk = (struct eds_dmarc_walk){.count = 0};
	eds_dmarc_prefetch(ctx, dns, domain); /* all questions at once cost one round trip */
	for (size_t i = 0; i < count; i++) {
		const char *name = record_name(ctx, names[i]);

		if (take_answer(ctx, eds_dns_get(dns, name, EDS_DNS_TXT), names[i], walk))
			break;
	}
	walk->org_domain = org_domain(domain, walk);
}

bool eds_dmarc_org_domain(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, const char **org_domain_name)
{
	struct eds_dmarc_walk *walk = rt_alloc(ctx, sizeof *walk);

	eds_dmarc_walk(ctx, dns, domain, walk);
	*org_domain_name = walk->org_domain;
	return walk->failed == NULL;
}

const struct eds_dmarc_step *eds_dmarc_walk_find(
	const struct eds_dmarc_walk *walk, const char *domain)
{
	for (size_t i = 0; i < walk->count; i++)
		if (strcmp(walk->steps[i].domain, domain) == 0)
			return &walk->steps[i];
	return NULL;
}

const struct eds_dmarc_step *eds_dmarc_walk_choose(
	const struct eds_dmarc_walk *walk, const char *author)
{
	const struct eds_dmarc_step *step = eds_dmarc_walk_find(walk, author);
	const struct eds_dmarc_step *top;

	if (step == NULL)
		step = eds_dmarc_walk_find(walk, walk->org_domain);
	if (step || walk->count == 0)
		return step;
	top = &walk->steps[walk->count - 1];
	return top->record.psd == EDS_DMARC_PSD_YES ? top : NULL;
}

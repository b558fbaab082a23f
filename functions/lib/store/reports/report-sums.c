/* Sums the rows of DMARC reports by day, source, reporter or disposition. */
#include "functions/lib/store/reports/report-sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/reports/report.h"
#include "functions/lib/store/reports/report-told.h"
#include "functions/lib/store/transaction.h"

enum {
	NUMBER_BYTES = 24,
	RECENT_NUMBERS = 16, /* number of days or dispositions whose group is found without a
			      * hash */
};

/* clang-format off */
#define STANDING_COLUMNS(FIRST, NEXT) \
	FIRST(STANDING_REPORTER, "reporter") \
	NEXT(STANDING_TEXT, "standing")
enum { EDS_DB_NAMES(STANDING_COLUMNS) };

static const struct eds_db_statement STANDINGS = {"report-sums-standings",
	"SELECT " EDS_DB_LIST(STANDING_COLUMNS)
	" FROM report_reporters"
	" WHERE domain_id = $1 AND standing <> ''"};
/* clang-format on */

/* A group with its sums, and its messages of the day that is being added up. A day whose messages
 * are all subtracted again does not count among the group's days. */
struct group {
	struct eds_report_sum sum;
	int64_t day;
	int64_t told[EDS_CLASSES];
};

struct summing {
	const struct eds_report_sums_query *asked;
	struct eds_tally keys;
	struct group *groups;
	size_t room;
	struct recent_number {
		bool is_known;
		int64_t number;
		size_t group;
	} recent[RECENT_NUMBERS];
	struct eds_tally deciders; /* reporters that the owner accepted or blocked */
	bool *accepted;
	size_t deciders_room;
};

static void end_day(struct group *group)
{
	struct eds_report_sum *sum = &group->sum;
	int64_t *const sums[EDS_CLASSES] = {
		[EDS_CLASS_PASSED] = &sum->passed,
		[EDS_CLASS_FORWARDED] = &sum->forwarded,
		[EDS_CLASS_FAILED] = &sum->failed,
	};

	for (int class = 0; class < EDS_CLASSES; class ++) {
		if (group->told[class] <= 0)
			continue;
		if (sum->last_day < 0 || group->day < sum->first_day)
			sum->first_day = group->day;
		if (group->day > sum->last_day)
			sum->last_day = group->day;
		*sums[class] = eds_pack_plus(*sums[class], group->told[class]);
	}
	memset(group->told, 0, sizeof group->told);
}

/* Finds the group of a row. When there is the maximum number of groups, rows with a new key are
 * added to the group with the key "", which stands for rows that were not kept. */
static struct group *group_of(struct summing *summing, const char *key, size_t length)
{
	bool is_full = summing->keys.count >= EDS_TALLY_MAX;
	size_t count = summing->keys.count;
	size_t number;

	if (!is_full || !eds_tally_find(&summing->keys, key, length, &number))
		number = eds_tally_add(&summing->keys, key, is_full ? 0 : length);
	if (number == count) {
		summing->groups = rt_grow(summing->keys.ctx, summing->groups, count, &summing->room,
			sizeof *summing->groups);
		summing->groups[number] = (struct group){.sum = {.last_day = -1}};
	}
	return &summing->groups[number];
}

/* Finds the group of a day or a disposition. There are few groups and many rows, so the recent
 * numbers are looked up first. */
static struct group *group_of_number(struct summing *summing, int64_t number)
{
	struct recent_number *recent = &summing->recent[(uint64_t)number % RECENT_NUMBERS];
	char text[NUMBER_BYTES];
	struct group *group;

	if (recent->is_known && recent->number == number)
		return &summing->groups[recent->group];
	snprintf(text, sizeof text, "%" PRId64, number);
	group = group_of(summing, text, strlen(text));
	*recent = (struct recent_number){true, number, (size_t)(group - summing->groups)};
	return group;
}

static struct group *group_for(struct summing *summing, const struct eds_told *told)
{
	if (summing->asked->by == EDS_SUM_BY_SOURCE || summing->asked->by == EDS_SUM_BY_REPORTER)
		return group_of(summing, told->row.source, told->row.source_length);
	return group_of_number(
		summing, summing->asked->by == EDS_SUM_BY_DAY ? told->day : told->row.disposition);
}

/* True when the report of the row counts, as eds_report_origin_counts() decides, and is of the
 * reporter asked for, if any. */
static bool counts(const struct summing *summing, const struct eds_told *told)
{
	const char *reporter = summing->asked->reporter;
	size_t length = told->row.source_length;
	size_t number;

	if (*reporter != '\0' &&
		(strlen(reporter) != length || memcmp(reporter, told->row.source, length) != 0))
		return false;
	if (summing->deciders.count > 0 &&
		eds_tally_find(&summing->deciders, told->row.source, length, &number))
		return summing->accepted[number];
	return told->verified;
}

static void take(void *arg, const struct eds_told *told)
{
	struct summing *summing = arg;
	const struct eds_report_sums_query *asked = summing->asked;
	int64_t messages = told->row.messages;
	struct group *group;

	if (asked->class >= 0 && asked->class != told->row.class)
		return;
	if (asked->by != EDS_SUM_BY_SOURCE && !counts(summing, told))
		return;
	group = group_for(summing, told);
	if (group->day != told->day)
		end_day(group);
	group->day = told->day;
	if (told->takes_away)
		group->told[told->row.class] -= messages;
	else
		group->told[told->row.class] = eds_pack_plus(
			group->told[told->row.class], messages);
}

static rt_status read_standings(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, struct summing *summing)
{
	struct eds_db_query *query;
	enum eds_db_result result = eds_db_query(
		store->db, &STANDINGS, EDS_DB_VALUES(eds_db_text_value(domain->id)), &query);

	for (; result == EDS_DB_ROW; result = eds_db_next(query)) {
		const char *reporter = eds_db_text(ctx, query, STANDING_REPORTER);
		size_t number = eds_tally_add(&summing->deciders, reporter, strlen(reporter));

		summing->accepted = rt_grow(ctx, summing->accepted, number, &summing->deciders_room,
			sizeof *summing->accepted);
		summing->accepted[number] = strcmp(eds_db_text(ctx, query, STANDING_TEXT),
						    "accepted") == 0;
	}
	eds_db_end(query);
	return result == EDS_DB_OK ? RT_OK : eds_store_failed(ctx, store, result);
}

static int64_t all_of(const struct eds_report_sum *sum)
{
	return eds_pack_plus(eds_pack_plus(sum->passed, sum->forwarded), sum->failed);
}

static int compare_numbers(const void *left, const void *right)
{
	int64_t a = strtoll(((const struct eds_report_sum *)left)->key, NULL, 10);
	int64_t b = strtoll(((const struct eds_report_sum *)right)->key, NULL, 10);

	return a < b ? -1 : a > b;
}

static int compare_weights(const void *left, const void *right)
{
	const struct eds_report_sum *a = left;
	const struct eds_report_sum *b = right;

	if (all_of(a) != all_of(b))
		return all_of(a) > all_of(b) ? -1 : 1;
	return strcmp(a->key, b->key);
}

static void finish(
	struct rt_ctx *ctx, struct summing *summing, struct eds_report_sum **sums, size_t *count)
{
	size_t groups = summing->keys.count;

	*sums = rt_alloc_array(ctx, groups + 1, sizeof **sums);
	*count = 0;
	for (size_t i = 0; i < groups; i++) {
		end_day(&summing->groups[i]);
		summing->groups[i].sum.key = summing->keys.names[i].bytes;
		if (all_of(&summing->groups[i].sum) > 0)
			(*sums)[(*count)++] = summing->groups[i].sum;
	}
	if (*count > 0)
		qsort(*sums, *count, sizeof **sums,
			summing->asked->by == EDS_SUM_BY_DAY ? compare_numbers : compare_weights);
	if (*count > EDS_REPORT_SUMS_MAX && !summing->asked->all)
		*count = EDS_REPORT_SUMS_MAX;
}

rt_status eds_store_report_sums(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_sums_query *asked,
	struct eds_report_sum **sums, size_t *count)
{
	struct summing summing = {.asked = asked};
	struct eds_told_query query = {
		.domain_id = domain->id,
		.kind = EDS_TOLD_REPORTERS,
		.from_day = asked->from_day,
		.to_day = asked->to_day,
		.reporter = asked->reporter,
	};

	eds_tally_init(&summing.keys, ctx);
	eds_tally_init(&summing.deciders, ctx);
	if (asked->by == EDS_SUM_BY_SOURCE)
		query.kind = *asked->reporter != '\0' ? EDS_TOLD_SOURCES_ONE : EDS_TOLD_SOURCES;
	else
		RT_TRY(read_standings(ctx, store, domain, &summing));
	RT_TRY(eds_store_report_told(ctx, store, &query, take, &summing));
	finish(ctx, &summing, sums, count);
	return RT_OK;
}

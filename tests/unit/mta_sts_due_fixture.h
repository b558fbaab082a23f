/* Claims of domains that are due for a check. */
#ifndef TEST_MTA_STS_DUE_FIXTURE_H
#define TEST_MTA_STS_DUE_FIXTURE_H

#include "functions/lib/store/mta-sts/mta-sts-due.h"
#include "tests/unit/mta_sts_fixture.h"

static inline struct eds_mta_sts_due *claim_up_to(size_t max, size_t *count)
{
	struct eds_mta_sts_due *claimed;
	size_t written;

	assert_int_equal(eds_store_mta_sts_turn(
				 &event, open_store(), NULL, 0, &written, max, &claimed, count),
		RT_OK);
	return claimed;
}

static inline struct eds_mta_sts_due *claim(size_t expected)
{
	size_t count;
	struct eds_mta_sts_due *claimed = claim_up_to(100, &count);

	assert_int_equal(count, expected);
	return claimed;
}

/* Runs an update for one domain, selected by its id; the order of ids does not help, because ids
 * made in one millisecond have no defined order. */
static inline void sql_of(const struct eds_domain *of, const char *update)
{
	char text[256];

	snprintf(text, sizeof text, "%s WHERE domain_id = '%s'", update, of->id);
	sql(text);
}

#endif

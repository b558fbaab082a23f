/* Code shared by the tests of MTA-STS configurations in the store: domains of two accounts, and
 * short functions that read and change them. */
#ifndef MTA_STS_FIXTURE_H
#define MTA_STS_FIXTURE_H

#include "functions/lib/mta-sts/change.h"
#include "functions/lib/mta-sts/policy-id.h"
#include "functions/lib/store/life/domain-life.h"
#include "functions/lib/store/mta-sts/mta-sts-claim.h"
#include "functions/lib/store/mta-sts/mta-sts.h"
#include "tests/unit/store_fixture.h"

enum {
	ID_MAX = 64,
};

static struct eds_domain domain; /* example.com, of a paid account */
static struct eds_domain twin;   /* example.com, of another account */

static inline const char *keep(char buffer[ID_MAX], const char *text)
{
	snprintf(buffer, ID_MAX, "%s", text);
	return buffer;
}

/* Copies names and ids out of the event, because the tests use them in later events. */
static inline bool make_domain(const char *account_name, enum eds_plan plan, const char *name,
	char ids[2][ID_MAX], struct eds_domain *made)
{
	struct eds_store *store = open_store();
	struct eds_account account;

	if (eds_store_account_create(&event, store, account_name, plan, &account) != RT_OK ||
		eds_store_domain_create(&event, store, &account, name, made) != RT_OK)
		return false;
	made->id = keep(ids[0], made->id);
	made->account_id = keep(ids[1], made->account_id);
	made->name = name;
	return true;
}

static inline int one_domain(void **state)
{
	static char ids[2][ID_MAX];

	if (empty_database(state) != 0)
		return -1;
	return make_domain("one", EDS_PLAN_PAID, "example.com", ids, &domain) ? 0 : -1;
}

static inline int two_domains(void **state)
{
	static char ids[2][ID_MAX];

	if (one_domain(state) != 0)
		return -1;
	return make_domain("two", EDS_PLAN_PAID, "example.com", ids, &twin) ? 0 : -1;
}

static inline void delete_domain(void)
{
	assert_int_equal(eds_store_domain_delete(&event, open_store(), &domain), RT_OK);
}

/* Writes the result of a check that saw this id in the TXT record of example.com, or none if id is
 * NULL. */
static inline void look(const char *id)
{
	/* a copy, because the id may be in the memory of an event that has ended */
	char kept[ID_MAX];
	struct eds_mta_sts_look look = {.name = "example.com", .id = id != NULL ? kept : NULL};

	snprintf(kept, sizeof kept, "%s", id != NULL ? id : "");
	assert_int_equal(eds_store_mta_sts_look(&event, open_store(), &look, 1), RT_OK);
}

static inline struct eds_mta_sts get(const struct eds_domain *of)
{
	struct eds_mta_sts config;

	assert_int_equal(eds_store_mta_sts_get(&event, open_store(), of, &config), RT_OK);
	return config;
}

static inline struct eds_mta_sts change(const struct eds_domain *of, eds_mta_sts_edit edit)
{
	struct eds_mta_sts config;

	assert_int_equal(eds_mta_sts_update(&event, open_store(), of, edit, NULL, &config), RT_OK);
	return config;
}

static inline rt_status switch_on(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	(void)ctx;
	(void)arg;
	config->enabled = true;
	return RT_OK;
}

static inline rt_status switch_off(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	(void)ctx;
	(void)arg;
	config->enabled = false;
	return RT_OK;
}

static inline rt_status host_elsewhere(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	(void)ctx;
	(void)arg;
	config->hosted = false;
	return RT_OK;
}

static inline rt_status one_day_more(struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	(void)ctx;
	(void)arg;
	config->max_age_s += 86400;
	return RT_OK;
}

static inline rt_status enforce_for_two_hosts(
	struct rt_ctx *ctx, struct eds_mta_sts *config, void *arg)
{
	static const char *const hosts[] = {"mx.example.com", "*.example.net"};

	(void)ctx;
	(void)arg;
	config->enabled = true;
	config->mode = EDS_POLICY_ENFORCE;
	config->patterns = (struct eds_mx_patterns){hosts, 2};
	return RT_OK;
}

#endif

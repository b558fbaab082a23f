#include "tests/support/test-event.h"

#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dmarc/published.h"
#include "functions/lib/dmarc/record-edit.h"
#include "tests/support/dns-table.h"

static struct eds_dmarc_published find(const char *zone, const char *domain)
{
	struct eds_dmarc_published published;
	struct eds_dns *dns;

	dns_table(zone);
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	eds_dmarc_find(&test_event, dns, domain, &published);
	return published;
}

static void the_domain_s_own_record_comes_first(void **state)
{
	struct eds_dmarc_published published = find(
		"_dmarc.example.com TXT v=DMARC1; p=none; sp=reject\n"
		"_dmarc.a.example.com TXT v=DMARC1; p=quarantine\n"
		"_dmarc.com FAIL SERVFAIL\n",
		"a.example.com");

	(void)state;
	assert_true(published.found && published.usable && published.exact);
	assert_string_equal(published.domain, "a.example.com");
	assert_string_equal(published.text, "v=DMARC1; p=quarantine");
	assert_int_equal(published.policy, EDS_DMARC_P_QUARANTINE);
	assert_string_equal(published.org_domain, "example.com");
	assert_null(published.failed);
}

static void without_its_own_record_the_organizations_subdomain_policy_holds(void **state)
{
	struct eds_dmarc_published published = find(
		"_dmarc.example.com TXT v=DMARC1; p=none; sp=reject\n", "a.example.com");

	(void)state;
	assert_string_equal(published.domain, "example.com");
	assert_int_equal(published.policy, EDS_DMARC_P_REJECT);
}

static void no_record_a_failed_lookup_and_several_records_are_distinguished(void **state)
{
	struct eds_dmarc_published none = find("example.com TXT hello\n", "example.com");
	struct eds_dmarc_published failed = find(
		"_dmarc.example.com FAIL SERVFAIL\n", "example.com");
	struct eds_dmarc_published several = find("_dmarc.example.com TXT v=DMARC1; p=none\n"
						  "_dmarc.example.com TXT v=DMARC1; p=none\n",
		"example.com");

	(void)state;
	assert_false(none.found);
	assert_null(none.failed);
	assert_false(failed.found);
	assert_string_equal(failed.failed, "example.com");
	assert_false(several.found);
	assert_string_equal(several.several, "example.com");
}

static void destinations_are_the_bare_addresses_of_the_uris(void **state)
{
	struct eds_dmarc_destination list[EDS_DMARC_DESTINATIONS_MAX];

	(void)state;
	assert_int_equal(eds_dmarc_destinations(&test_event,
				 "v=DMARC1; RUA = mailto:A@Example.NET!10m , MAILTO:b@example.org"
				 "?subject=x,https://example.com/x,mailto:nobody, ,; p=none; "
				 "rua=mailto:second@example.com",
				 "rua", list),
		2);
	assert_string_equal(list[0].address, "A@Example.NET");
	assert_string_equal(list[0].domain, "example.net");
	assert_string_equal(list[1].address, "b@example.org");
	assert_int_equal(eds_dmarc_destinations(&test_event, "v=DMARC1; p=none", "ruf", list), 0);
	assert_int_equal(eds_dmarc_destinations(&test_event, "v=DMARC1; ruf=", "ruf", list), 0);
}

static void no_more_than_ten_destinations_are_read(void **state)
{
	struct eds_dmarc_destination list[EDS_DMARC_DESTINATIONS_MAX];
	const char *record = "v=DMARC1; rua=mailto:a@example.com";

	(void)state;
	for (int i = 0; i < 20; i++)
		record = rt_printf(&test_event, "%s,mailto:a@example.com", record);
	assert_int_equal(eds_dmarc_destinations(&test_event, record, "rua", list), 10);
}

static void assert_added(const char *record, const char *expected)
{
	assert_string_equal(
		eds_dmarc_record_add_rua(&test_event, record, "r@reports.example"), expected);
}

static void adding_an_address_changes_nothing_else(void **state)
{
	(void)state;
	assert_added("v=DMARC1; p=reject; rua=mailto:d@example.com; sp=none",
		"v=DMARC1; p=reject; rua=mailto:d@example.com,mailto:r@reports.example; sp=none");
	assert_added("v=DMARC1; p=reject; rua=mailto:a@b.c, mailto:d@e.f ;adkim=s",
		"v=DMARC1; p=reject; rua=mailto:a@b.c, mailto:d@e.f,mailto:r@reports.example "
		";adkim=s");
	assert_added("v=DMARC1; p=reject;", "v=DMARC1; p=reject; rua=mailto:r@reports.example");
	assert_added("v=DMARC1;p=none;rua=", "v=DMARC1;p=none;rua=mailto:r@reports.example");
	assert_null(eds_dmarc_record_add_rua(
		&test_event, "v=DMARC1; p=none; x=\xc3\xa9", "r@reports.example"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_domain_s_own_record_comes_first),
		TEST(without_its_own_record_the_organizations_subdomain_policy_holds),
		TEST(no_record_a_failed_lookup_and_several_records_are_distinguished),
		TEST(destinations_are_the_bare_addresses_of_the_uris),
		TEST(no_more_than_ten_destinations_are_read),
		TEST(adding_an_address_changes_nothing_else),
	};

	return cmocka_run_group_tests_name("dmarc published", tests, NULL, NULL);
}

#include "tests/support/test-event.h"

#include "functions/lib/posture/bimi.h"
#include "functions/lib/posture/caa.h"
#include "functions/lib/posture/tlsa.h"

enum { RECORDS_MAX = 4 };

static struct eds_dns_record records[RECORDS_MAX];

#define RECORD(bytes)                                                                              \
	(struct eds_dns_record)                                                                    \
	{                                                                                          \
		.txt = (bytes), .txt_length = sizeof(bytes) - 1                                    \
	}

static struct eds_dns_answer answer_of(size_t count)
{
	return (struct eds_dns_answer){.state = count > 0 ? EDS_DNS_FOUND : EDS_DNS_NO_DATA,
		.reason = "",
		.records = records,
		.count = count};
}

static void a_caa_record_has_flags_a_tag_and_a_value(void **state)
{
	struct eds_caa caa;

	(void)state;
	records[0] = RECORD("\0\5IsSueca.example; a=b\x01");
	assert_true(eds_caa_read(&test_event, &records[0], &caa));
	assert_int_equal(caa.flags, 0);
	assert_string_equal(caa.tag, "issue");
	assert_string_equal(eds_caa_text(&test_event, &caa), "0 issue \"ca.example; a=b?\"");
	records[0] = RECORD("\200\5iodef");
	assert_true(eds_caa_read(&test_event, &records[0], &caa));
	assert_string_equal(eds_caa_text(&test_event, &caa), "128 iodef \"\"");
}

static void data_that_is_not_a_caa_record_is_refused(void **state)
{
	struct eds_caa caa;

	(void)state;
	records[0] = RECORD("");
	assert_false(eds_caa_read(&test_event, &records[0], &caa));
	records[0] = RECORD("\0");
	assert_false(eds_caa_read(&test_event, &records[0], &caa));
	records[0] = RECORD("\0\0value");
	assert_false(eds_caa_read(&test_event, &records[0], &caa));
	records[0] = RECORD("\0\6issue");
	assert_false(eds_caa_read(&test_event, &records[0], &caa));
	records[0] = RECORD("\0\5is-ueca.example");
	assert_false(eds_caa_read(&test_event, &records[0], &caa));
}

static void assert_caa(size_t count, enum eds_caa_verdict expected)
{
	struct eds_dns_answer answer = answer_of(count);

	assert_int_equal(eds_caa_judge(&test_event, &answer, "ca.example"), expected);
}

static void an_authority_may_issue_if_the_records_name_it_or_nobody(void **state)
{
	(void)state;
	assert_caa(0, EDS_CAA_ALLOWS);
	records[0] = RECORD("\0\5iodefmailto:a@b");
	assert_caa(1, EDS_CAA_ALLOWS);
	records[1] = RECORD("\0\5issueother.example");
	assert_caa(2, EDS_CAA_FORBIDS);
	records[2] = RECORD("\0\5issue CA.Example ; policy=ev");
	assert_caa(3, EDS_CAA_ALLOWS);
	records[0] = RECORD("\0\5issue;");
	assert_caa(1, EDS_CAA_FORBIDS);
	records[0] = RECORD("\0\5issueca.example.org");
	assert_caa(1, EDS_CAA_FORBIDS);
	records[0] = RECORD("\0\11issuewildother.example");
	assert_caa(1, EDS_CAA_ALLOWS);
}

static void an_account_or_validation_method_may_restrict_an_authority(void **state)
{
	(void)state;
	records[0] = RECORD("\0\5issueca.example; validationmethods=dns-01");
	assert_caa(1, EDS_CAA_RESTRICTS);
	records[1] = RECORD("\0\5issueca.example;accounturi=https://ca.example/a/1");
	assert_caa(2, EDS_CAA_RESTRICTS);
	records[2] = RECORD("\0\5issueca.example");
	assert_caa(3, EDS_CAA_ALLOWS);
}

static void a_critical_or_unreadable_record_stops_every_authority(void **state)
{
	(void)state;
	records[0] = RECORD("\0\5issueca.example");
	records[1] = RECORD("\200\3tbsx");
	assert_caa(2, EDS_CAA_CRITICAL_UNKNOWN);
	records[1] = RECORD("\0\3tbsx");
	assert_caa(2, EDS_CAA_ALLOWS);
	records[1] = RECORD("\0\377x");
	assert_caa(2, EDS_CAA_GARBLED);
}

static enum eds_tlsa_verdict tlsa(unsigned usage, unsigned selector, unsigned matching, size_t data)
{
	char bytes[3 + 128] = {(char)usage, (char)selector, (char)matching};
	struct eds_dns_record record = {.txt = bytes, .txt_length = 3 + data};
	struct eds_tlsa read;

	eds_tlsa_read(&test_event, &record, &read);
	return read.verdict;
}

static void a_tlsa_record_of_a_mail_server_names_a_key(void **state)
{
	struct eds_dns_record two = RECORD("\3\1");
	struct eds_dns_record whole = RECORD("\3\0\0\1\253");
	struct eds_tlsa read;

	(void)state;
	assert_int_equal(tlsa(3, 1, 1, 32), EDS_TLSA_USABLE);
	assert_int_equal(tlsa(2, 0, 2, 64), EDS_TLSA_USABLE);
	assert_int_equal(tlsa(3, 0, 0, 100), EDS_TLSA_USABLE);
	assert_int_equal(tlsa(0, 1, 1, 32), EDS_TLSA_USAGE);
	assert_int_equal(tlsa(1, 1, 1, 32), EDS_TLSA_USAGE);
	assert_int_equal(tlsa(4, 1, 1, 32), EDS_TLSA_USAGE);
	assert_int_equal(tlsa(3, 2, 1, 32), EDS_TLSA_SELECTOR);
	assert_int_equal(tlsa(3, 1, 3, 32), EDS_TLSA_MATCHING);
	assert_int_equal(tlsa(3, 1, 1, 31), EDS_TLSA_LENGTH);
	assert_int_equal(tlsa(3, 1, 2, 32), EDS_TLSA_LENGTH);
	assert_int_equal(tlsa(3, 1, 0, 0), EDS_TLSA_LENGTH);
	eds_tlsa_read(&test_event, &two, &read);
	assert_int_equal(read.verdict, EDS_TLSA_GARBLED);
	assert_string_equal(read.text, "");
	eds_tlsa_read(&test_event, &whole, &read);
	assert_string_equal(read.text, "3 0 0 01ab");
}

static enum eds_bimi bimi(size_t count)
{
	struct eds_dns_answer answer = answer_of(count);
	const struct eds_dns_record *record;

	return eds_bimi_read(&answer, &record);
}

static void a_bimi_record_gives_the_address_of_the_logo(void **state)
{
	(void)state;
	assert_int_equal(bimi(0), EDS_BIMI_NONE);
	records[0] = RECORD("v=spf1 -all");
	assert_int_equal(bimi(1), EDS_BIMI_NONE);
	records[0] = RECORD(
		"v=BIMI1; l=https://example.com/logo.svg; a=https://example.com/c.pem;");
	assert_int_equal(bimi(1), EDS_BIMI_LOGO);
	records[0] = RECORD("v=BIMI1;L = HTTPS://example.com/logo.svg;a=;avp=brand");
	assert_int_equal(bimi(1), EDS_BIMI_LOGO);
	records[0] = RECORD("v=BIMI1; l=;");
	assert_int_equal(bimi(1), EDS_BIMI_DECLINED);
	records[0] = RECORD("v=BIMI1; a=https://example.com/c.pem");
	assert_int_equal(bimi(1), EDS_BIMI_SYNTAX);
	records[0] = RECORD("v=BIMI1; l=https://example.com/l.svg; nonsense");
	assert_int_equal(bimi(1), EDS_BIMI_SYNTAX);
	records[0] = RECORD("v=BIMI1; l=http://example.com/l.svg");
	assert_int_equal(bimi(1), EDS_BIMI_LOCATION);
	records[0] = RECORD("v=BIMI1; l=https://example.com/l.svg; a=x");
	assert_int_equal(bimi(1), EDS_BIMI_LOCATION);
	records[0] = RECORD("v=BIMI1; l=https://a/\0b");
	assert_int_equal(bimi(1), EDS_BIMI_LOCATION);
	records[0] = records[1] = RECORD("v=BIMI1; l=https://example.com/l.svg");
	assert_int_equal(bimi(2), EDS_BIMI_SEVERAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_caa_record_has_flags_a_tag_and_a_value),
		TEST(data_that_is_not_a_caa_record_is_refused),
		TEST(an_authority_may_issue_if_the_records_name_it_or_nobody),
		TEST(an_account_or_validation_method_may_restrict_an_authority),
		TEST(a_critical_or_unreadable_record_stops_every_authority),
		TEST(a_tlsa_record_of_a_mail_server_names_a_key),
		TEST(a_bimi_record_gives_the_address_of_the_logo),
	};

	return cmocka_run_group_tests_name("posture records", tests, NULL, NULL);
}

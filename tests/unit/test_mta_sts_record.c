#include "tests/support/test-event.h"

#include "functions/lib/mta-sts/record.h"

enum { RECORDS_MAX = 4 };

static struct eds_dns_record records[RECORDS_MAX];
static struct eds_findings errors;

/* An answer with up to four TXT records, whose texts end with NULL. */
static struct eds_dns_answer answer_of(const char *const *texts)
{
	struct eds_dns_answer answer = {.state = EDS_DNS_FOUND, .reason = "", .records = records};

	for (; texts[answer.count] != NULL; answer.count++)
		records[answer.count] = (struct eds_dns_record){
			.txt = texts[answer.count], .txt_length = strlen(texts[answer.count])};
	if (answer.count == 0)
		answer.state = EDS_DNS_NO_NAME;
	return answer;
}

#define ANSWER(...) answer_of((const char *const[]){__VA_ARGS__, NULL})

static const char *id_of(struct eds_dns_answer answer)
{
	errors.count = 0;
	return eds_mta_sts_record_id(&test_event, &answer, &errors);
}

static void assert_error(struct eds_dns_answer answer, const char *code)
{
	assert_null(id_of(answer));
	assert_int_equal(errors.count, 1);
	assert_string_equal(errors.items[0].code, code);
}

static void the_id_is_found_among_other_records(void **state)
{
	(void)state;
	assert_string_equal(id_of(ANSWER("v=STSv1; id=20260131235959Z;")), "20260131235959Z");
	assert_string_equal(id_of(ANSWER("v=spf1 -all", "v=STSv1;id=a")), "a");
	assert_string_equal(id_of(ANSWER("v=STSv1; x=y; id=A1 ; id=b-c")), "A1");
	assert_int_equal(errors.count, 0);
}

static void each_fault_has_its_own_error(void **state)
{
	struct eds_dns_answer answer = {.state = EDS_DNS_TEMPORARY, .reason = "SERVFAIL"};

	(void)state;
	assert_error(answer_of((const char *const[]){NULL}), "txt-missing");
	assert_error(ANSWER("v=spf1 -all"), "txt-missing");
	assert_error(ANSWER("v=stsv1; id=a"), "txt-version");
	assert_error(ANSWER("v=STSv1"), "txt-version");
	assert_error(ANSWER(" v=STSv1; id=a"), "txt-version");
	assert_error(ANSWER("\"v=STSv1; id=a\""), "txt-version");
	assert_error(ANSWER("v=STSv1; id=a", "v=STSv1; id=a"), "txt-several");
	assert_error(ANSWER("v=STSv1;"), "txt-id-missing");
	assert_error(ANSWER("v=STSv1; ID=a"), "txt-id-missing");
	assert_error(ANSWER("v=STSv1; id="), "txt-id-invalid");
	assert_error(ANSWER("v=STSv1; id=a-b"), "txt-id-invalid");
	assert_error(ANSWER("v=STSv1; id=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), "txt-id-invalid");
	assert_error(ANSWER("v=STSv1; id=a; junk"), "txt-syntax");
	assert_error(ANSWER("v=STSv1; id=a;; x=y"), "txt-syntax");
	assert_error(ANSWER("v=STSv1; id=a; x="), "txt-syntax");
	assert_error(ANSWER("v=STSv1; id=a; x=\xc3\xa9"), "txt-syntax");
	assert_error(answer, "txt-temporary");
}

static void ids_and_the_names_of_extensions_have_at_most_32_octets(void **state)
{
	(void)state;
	assert_string_equal(id_of(ANSWER("v=STSv1; id=abcdefghijklmnopqrstuvwxyz012345")),
		"abcdefghijklmnopqrstuvwxyz012345");
	assert_error(ANSWER("v=STSv1; id=abcdefghijklmnopqrstuvwxyz0123456"), "txt-id-invalid");
	assert_string_equal(
		id_of(ANSWER("v=STSv1; id=a; abcdefghijklmnopqrstuvwxyz012345=x")), "a");
	assert_error(ANSWER("v=STSv1; id=a; abcdefghijklmnopqrstuvwxyz0123456=x"), "txt-syntax");
}

/* Whether a record with this octet in the place of %c is read. */
static bool reads_with(const char *format, int octet)
{
	char text[64];

	snprintf(text, sizeof text, format, octet);
	return id_of(ANSWER(text)) != NULL;
}

static void the_octets_of_a_field_are_those_of_the_rfc(void **state)
{
	static const char alphanumeric[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	(void)state;
	for (int c = 1; c <= 255; c++) {
		bool common = strchr(alphanumeric, c) != NULL;

		assert_int_equal(
			reads_with("v=STSv1; id=a; %cx=y", c), common || strchr(" \t", c) != NULL);
		assert_int_equal(
			reads_with("v=STSv1; id=a; x%cx=y", c), common || strchr("_-.", c) != NULL);
		assert_int_equal(reads_with("v=STSv1; id=a%ca", c), common);
		assert_int_equal(reads_with("v=STSv1; id=a; x=y%cy", c),
			c > ' ' && c <= '~' && strchr("=;", c) == NULL);
	}
}

static void octets_after_a_nul_count(void **state)
{
	struct eds_dns_answer answer = ANSWER("v=STSv1; id=a");

	(void)state;
	records[0].txt = "v=STSv1; id=a\0b";
	records[0].txt_length = 15;
	assert_error(answer, "txt-id-invalid");
	records[0].txt = "v=STSv1; id=a; x\0=b";
	records[0].txt_length = 19;
	assert_error(answer, "txt-syntax");
}

static void assert_reports(struct eds_dns_answer answer, enum eds_tlsrpt expected)
{
	assert_string_equal(eds_tlsrpt_name(eds_tlsrpt_read(&answer)), eds_tlsrpt_name(expected));
}

static void reports_need_exactly_one_record_that_names_a_destination(void **state)
{
	struct eds_dns_answer failed = {.state = EDS_DNS_TEMPORARY, .reason = "no answer"};

	(void)state;
	assert_reports(ANSWER("v=TLSRPTv1; rua=mailto:a@example.com"), EDS_TLSRPT_PRESENT);
	assert_reports(
		ANSWER("v=TLSRPTv1;rua=mailto:a@b , HTTPS://c/d?e=f; x=y;"), EDS_TLSRPT_PRESENT);
	assert_reports(ANSWER("v=spf1 -all"), EDS_TLSRPT_MISSING);
	assert_reports(ANSWER("v=TLSRPTv1"), EDS_TLSRPT_MISSING);
	assert_reports(answer_of((const char *const[]){NULL}), EDS_TLSRPT_MISSING);
	assert_reports(failed, EDS_TLSRPT_UNKNOWN);
	assert_reports(ANSWER("v=TLSRPTv1;"), EDS_TLSRPT_INVALID);
	assert_reports(ANSWER("v=TLSRPTv1; rua="), EDS_TLSRPT_INVALID);
	assert_reports(ANSWER("v=TLSRPTv1; rua=a@example.com"), EDS_TLSRPT_INVALID);
	assert_reports(ANSWER("v=TLSRPTv1; rua=mailto:a@b,"), EDS_TLSRPT_INVALID);
	assert_reports(ANSWER("v=TLSRPTv1; rua=mailto:a b"), EDS_TLSRPT_INVALID);
	assert_reports(ANSWER("v=TLSRPTv1; rua=http://a"), EDS_TLSRPT_INVALID);
	assert_reports(ANSWER("v=TLSRPTv1; x=y; rua=mailto:a@b"), EDS_TLSRPT_INVALID);
	assert_reports(ANSWER("v=TLSRPTv1; rua=mailto:a@b; junk"), EDS_TLSRPT_INVALID);
	assert_reports(ANSWER("v=TLSRPTv1; rua=mailto:a@b", "v=TLSRPTv1; rua=mailto:a@b"),
		EDS_TLSRPT_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_id_is_found_among_other_records),
		TEST(each_fault_has_its_own_error),
		TEST(ids_and_the_names_of_extensions_have_at_most_32_octets),
		TEST(the_octets_of_a_field_are_those_of_the_rfc),
		TEST(octets_after_a_nul_count),
		TEST(reports_need_exactly_one_record_that_names_a_destination),
	};

	return cmocka_run_group_tests_name("mtasts record", tests, NULL, NULL);
}

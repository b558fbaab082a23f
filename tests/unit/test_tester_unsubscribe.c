/* One-click unsubscription (RFC 8058), each part by its name. */
#include "functions/tester/requirements/unsubscribe.h"
#include "tests/support/test-event.h"

#define FIELD "List-Unsubscribe: <https://example.com/u?x=1>, <mailto:u@example.com>\r\n"
#define POST "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
#define SIGNATURE(names)                                                                           \
	"DKIM-Signature: v=1; a=rsa-sha256; d=example.com; s=s1; h=" names                         \
	"; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\n"
#define COVERED SIGNATURE("from:List-Unsubscribe:list-unsubscribe-post")
#define BARE SIGNATURE("from:subject")

static struct unsubscribe_result check_signed(
	struct rt_ctx *ctx, const char *message, enum eds_dkim_state signature, const char *domain)
{
	struct eds_dkim_result dkim = {.failure = "", .count = 1, .total = 1};
	struct eds_dmarc_result dmarc = {.has_record = true, .org_domain = "example.com"};
	struct unsubscribe_result result;
	struct eds_header header;

	dkim.signatures[0] = (struct eds_dkim_signature){.state = signature, .domain = domain};
	eds_header_read(ctx, message, strlen(message), &header);
	unsubscribe_check(ctx, &header, &dkim, &dmarc, "news.example.com", &result);
	return result;
}

static struct unsubscribe_result check(struct rt_ctx *ctx, const char *message)
{
	return check_signed(ctx, message, EDS_DKIM_VALID, "example.com");
}

static void one_click_unsubscribe_is_met_with_all_its_parts(void **state)
{
	struct unsubscribe_result result = check(*state, COVERED FIELD POST "\r\n");

	for (size_t i = 0; i < UNSUBSCRIBE_PARTS; i++)
		assert_int_equal(result.parts[i].state, DEMAND_MET);
	assert_int_equal(result.whole.state, DEMAND_MET);
	assert_int_equal(result.uri_count, 2);
	assert_string_equal(result.uris[0], "https://example.com/u?x=1");
	assert_true(result.has_way);
}

static void each_missing_part_is_named(void **state)
{
	static const struct {
		const char *message;
		enum unsubscribe_part part;
	} cases[] = {
		{COVERED POST "\r\n", UNSUBSCRIBE_FIELD},
		{COVERED "List-Unsubscribe: <mailto:u@example.com>\r\n" POST "\r\n",
			UNSUBSCRIBE_HTTPS},
		{COVERED "List-Unsubscribe: <http://example.com/u>\r\n" POST "\r\n",
			UNSUBSCRIBE_HTTPS},
		{COVERED "List-Unsubscribe: https://example.com/u\r\n" POST "\r\n",
			UNSUBSCRIBE_HTTPS},
		{COVERED "List-Unsubscribe: <https://>\r\n" POST "\r\n", UNSUBSCRIBE_HTTPS},
		{COVERED "List-Unsubscribe: <https://a b>\r\n" POST "\r\n", UNSUBSCRIBE_HTTPS},
		{COVERED FIELD "\r\n", UNSUBSCRIBE_POST},
		{COVERED FIELD "List-Unsubscribe-Post: One-Click\r\n\r\n", UNSUBSCRIBE_POST_VALUE},
		{COVERED FIELD "List-Unsubscribe-Post: list-unsubscribe=one-click\r\n\r\n",
			UNSUBSCRIBE_POST_VALUE},
		{COVERED FIELD FIELD POST "\r\n", UNSUBSCRIBE_ONCE},
		{COVERED FIELD POST POST "\r\n", UNSUBSCRIBE_ONCE},
		{BARE FIELD POST "\r\n", UNSUBSCRIBE_SIGNED},
		{SIGNATURE("from:list-unsubscribe") FIELD POST "\r\n", UNSUBSCRIBE_SIGNED},
		{FIELD POST "\r\n", UNSUBSCRIBE_SIGNED},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct unsubscribe_result result = check(*state, cases[i].message);

		if (result.parts[cases[i].part].state != DEMAND_MISSED ||
			result.whole.state != DEMAND_MISSED)
			fail_msg("case %zu", i);
	}
}

static void a_signature_counts_if_it_is_valid_and_for_the_button_if_it_is_aligned(void **state)
{
	const char *message = COVERED FIELD POST "\r\n";
	struct unsubscribe_result result = check_signed(
		*state, message, EDS_DKIM_INVALID, "example.com");

	assert_int_equal(result.parts[UNSUBSCRIBE_SIGNED].state, DEMAND_MISSED);
	result = check_signed(*state, message, EDS_DKIM_TESTING, "example.com");
	assert_int_equal(result.parts[UNSUBSCRIBE_SIGNED].state, DEMAND_MISSED);
	result = check_signed(*state, message, EDS_DKIM_TEMPORARY, "example.com");
	assert_int_equal(result.parts[UNSUBSCRIBE_SIGNED].state, DEMAND_UNDECIDED);
	assert_int_equal(result.whole.state, DEMAND_UNDECIDED);
	result = check_signed(*state, message, EDS_DKIM_VALID, "mailer.example");
	assert_int_equal(result.parts[UNSUBSCRIBE_SIGNED].state, DEMAND_MET);
	assert_int_equal(result.parts[UNSUBSCRIBE_ALIGNED].state, DEMAND_MISSED);
	assert_int_equal(result.whole.state, DEMAND_MET);
	assert_int_equal(result.button.state, DEMAND_MISSED);
}

static void a_valid_signature_is_the_evidence_though_another_could_not_be_checked(void **state)
{
	const char *message = COVERED COVERED FIELD POST "\r\n";
	struct eds_dkim_result dkim = {.failure = "", .count = 2, .total = 2};
	struct eds_dmarc_result dmarc = {.has_record = true, .org_domain = "example.com"};
	struct unsubscribe_result result;
	struct eds_header header;

	dkim.signatures[0] = (struct eds_dkim_signature){
		.state = EDS_DKIM_VALID, .domain = "mailer.example"};
	dkim.signatures[1] = (struct eds_dkim_signature){
		.state = EDS_DKIM_TEMPORARY, .domain = "example.com"};
	eds_header_read(*state, message, strlen(message), &header);
	unsubscribe_check(*state, &header, &dkim, &dmarc, "news.example.com", &result);
	assert_int_equal(result.parts[UNSUBSCRIBE_SIGNED].state, DEMAND_MET);
	assert_string_equal(result.parts[UNSUBSCRIBE_SIGNED].evidence,
		"h= of a valid DKIM signature names both fields.");
	assert_int_equal(result.parts[UNSUBSCRIBE_ALIGNED].state, DEMAND_UNDECIDED);
	assert_string_equal(
		result.parts[UNSUBSCRIBE_ALIGNED].evidence, "A signature could not be checked.");
}

static void a_mailto_uri_allows_unsubscribing_but_not_by_one_click(void **state)
{
	assert_true(check(*state, "List-Unsubscribe: <mailto:u@example.com>\r\n\r\n").has_way);
	assert_false(check(*state, "List-Unsubscribe: <ftp://example.com>\r\n\r\n").has_way);
	assert_false(check(*state, "Subject: x\r\n\r\n").has_way);
}

static void the_first_of_many_uris_are_kept(void **state)
{
	struct unsubscribe_result result = check(*state,
		"List-Unsubscribe: <1><2><3><4><5><6><7><8><https://example.com/9>\r\n\r\n");

	assert_int_equal(result.uri_count, 8);
	assert_string_equal(result.uris[7], "8");
	assert_int_equal(check(*state, "List-Unsubscribe: <open\r\n\r\n").uri_count, 0);
}

static void a_field_that_may_be_in_the_unread_part_of_a_header_is_undecided(void **state)
{
	struct eds_header header = {.limit = "It is too long."};
	struct eds_dkim_result dkim = {.failure = ""};
	struct eds_dmarc_result dmarc = {.org_domain = ""};
	struct unsubscribe_result result;

	unsubscribe_check(*state, &header, &dkim, &dmarc, NULL, &result);
	assert_int_equal(result.whole.state, DEMAND_UNDECIDED);
	assert_string_equal(result.whole.evidence, "It is too long.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_click_unsubscribe_is_met_with_all_its_parts),
		TEST(each_missing_part_is_named),
		TEST(a_signature_counts_if_it_is_valid_and_for_the_button_if_it_is_aligned),
		TEST(a_valid_signature_is_the_evidence_though_another_could_not_be_checked),
		TEST(a_mailto_uri_allows_unsubscribing_but_not_by_one_click),
		TEST(the_first_of_many_uris_are_kept),
		TEST(a_field_that_may_be_in_the_unread_part_of_a_header_is_undecided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Messages from the DNSSEC validator, a process that reads untrusted octets and may have been taken
 * over. */
#include "tests/support/test-event.h"

#include "functions/lib/dnssec/wire.h"

static struct eds_validator_answer answer;

static bool read_text(const char *text)
{
	return eds_validator_answer_read(text, strlen(text), &answer);
}

static void an_answer_has_a_number_a_state_and_a_reason(void **state)
{
	(void)state;
	assert_true(read_text("17 bogus signature \x01 expired\xff"));
	assert_int_equal(answer.number, 17);
	assert_int_equal(answer.state, EDS_DNSSEC_BOGUS);
	assert_string_equal(answer.why, "signature ? expired?");
	assert_true(read_text("0 secure"));
	assert_int_equal(answer.state, EDS_DNSSEC_SECURE);
	assert_string_equal(answer.why, "");
	assert_true(read_text("3 insecure "));
	assert_int_equal(answer.state, EDS_DNSSEC_INSECURE);
	assert_true(read_text("3 unknown"));
	assert_int_equal(answer.state, EDS_DNSSEC_UNKNOWN);
	assert_false(read_text("3 absent"));
	assert_false(read_text("3 pending"));
}

static void a_long_reason_is_cut(void **state)
{
	char text[600];

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	memcpy(text, "1 bogus ", 8);
	assert_true(read_text(text));
	assert_int_equal(strlen(answer.why), 200);
}

static void text_that_is_not_an_answer_is_refused(void **state)
{
	static const char *const texts[] = {"", " ", "1", "1 ", "bogus", "1 pending", "1 Bogus",
		"x bogus", "-1 bogus", "1234567890 bogus", "1bogus", "1  bogus", "1 bogusly"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_false(read_text(texts[i]));
}

/* At most 1024 questions wait at a time, numbered from 0; a larger number in an answer would refer
 * to memory behind their table. */
static void a_number_beyond_the_last_question_is_refused(void **state)
{
	(void)state;
	assert_true(read_text("1023 bogus"));
	assert_int_equal(answer.number, 1023);
	assert_false(read_text("1024 bogus"));
	assert_false(read_text("999999999 bogus"));
	/* 2^32 + 17, which is 17 when cut to 32 bits */
	assert_false(read_text("4294967313 bogus"));
}

static void assert_server(const char *named, const char *expected)
{
	char text[80];

	eds_validator_server(named, strlen(named), text, sizeof text);
	assert_string_equal(text, expected);
}

static void a_server_address_is_written_in_the_form_of_the_validator(void **state)
{
	char text[6];

	(void)state;
	assert_server("127.0.0.1:5353", "127.0.0.1@5353");
	assert_server("127.0.0.1", "127.0.0.1");
	assert_server("[2001:db8::1]:53", "2001:db8::1@53");
	assert_server("[2001:db8::1]", "2001:db8::1");
	assert_server("2001:db8::1", "2001:db8::1");
	assert_server("", "");
	eds_validator_server("192.0.2.1:53", 12, text, sizeof text);
	assert_string_equal(text, "192.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_answer_has_a_number_a_state_and_a_reason),
		TEST(a_long_reason_is_cut),
		TEST(text_that_is_not_an_answer_is_refused),
		TEST(a_number_beyond_the_last_question_is_refused),
		TEST(a_server_address_is_written_in_the_form_of_the_validator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

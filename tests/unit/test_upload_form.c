/* The envelope of an uploaded message: which fields are accepted, and as what. */
#include "tests/support/test-event.h"

#include "functions/tester/upload-form.h"
#include "runtime/config/config.h"

enum { LONGEST_HELO = 255, LONGEST_SENDER = 320 };

/* The form of an upload with this field in its query; NULL when it is refused because of it. */
static const struct upload_form *read_with(const char *name, const char *value)
{
	static struct upload_form form;
	struct rt_field field = {.name = name, .value = value};
	const struct rt_request request = {.method = "POST",
		.path = "/",
		.query = "",
		.query_params = &field,
		.body = "Subject: a\r\n\r\n",
		.body_length = 14};

	if (upload_form_read(&test_event, &request, &form) == RT_OK)
		return &form;
	assert_string_equal(test_event.failure.code, "field-invalid");
	return NULL;
}

static void a_sender_is_an_address_with_or_without_angle_brackets_or_empty(void **state)
{
	static const char *const accepted[][2] = {
		{"", ""}, {"<>", ""}, {"a@b", "a@b"}, {"<a@b>", "a@b"}, {"a@b@c", "a@b@c"}};
	static const char *const refused[] = {"<", ">", "><", "a", "@", "a@", "@b", "<a>", "<a@b",
		"a@b>", "xa@b>", "<a@bx", "<<a@b>>", "a<@b", "a b@c", "a@b\r", "a@b\x7f"};

	(void)state;
	for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
		const struct upload_form *form = read_with("mailFrom", accepted[i][0]);

		assert_string_equal(form != NULL ? form->mail_from : "refused", accepted[i][1]);
	}
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (read_with("mailFrom", refused[i]) != NULL)
			fail_msg("%s is accepted", refused[i]);
}

static void a_host_name_has_any_octets_but_white_space_and_control_characters(void **state)
{
	(void)state;
	for (int c = 1; c <= 255; c++) {
		const char name[] = {'a', (char)c, 'b', '\0'};

		assert_int_equal(read_with("helo", name) != NULL, c > ' ' && c != 0x7f);
	}
}

static void a_host_name_and_a_sender_have_a_maximum_length(void **state)
{
	char text[LONGEST_SENDER + 2] = "a@";

	(void)state;
	for (size_t length = 3; length <= LONGEST_SENDER + 1; length++) {
		text[length - 1] = 'b';
		assert_int_equal(read_with("helo", text) != NULL, length <= LONGEST_HELO);
		assert_int_equal(read_with("mailFrom", text) != NULL, length <= LONGEST_SENDER);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sender_is_an_address_with_or_without_angle_brackets_or_empty),
		TEST(a_host_name_has_any_octets_but_white_space_and_control_characters),
		TEST(a_host_name_and_a_sender_have_a_maximum_length),
	};

	rt_config_require();
	return cmocka_run_group_tests_name("upload form", tests, NULL, NULL);
}

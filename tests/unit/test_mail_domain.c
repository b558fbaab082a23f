#include <dlfcn.h>
#include <idn2.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"
#include "tests/support/test-event.h"

static bool no_memory;

/* Replaces libidn2's function, so that a test can let it run out of memory. */
int idn2_lookup_u8(const uint8_t *name, uint8_t **ascii, int flags)
{
	static int (*real)(const uint8_t *, uint8_t **, int);

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "idn2_lookup_u8");
	return no_memory ? IDN2_MALLOC : real(name, ascii, flags);
}

struct name_case {
	const char *given;
	const char *expected; /* NULL: the text is not a domain */
};

static const char *shown(const char *text)
{
	return text ? text : "(none)";
}

static void check_names(const struct name_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *given = cases[i].given;
		const char *name = eds_domain_normalize(&test_event, given, strlen(given));

		if (strcmp(shown(name), shown(cases[i].expected)) != 0)
			fail_msg(
				"%s gave %s, not %s", given, shown(name), shown(cases[i].expected));
	}
}

#define CHECK_NAMES(cases) check_names(cases, sizeof cases / sizeof cases[0])

static void ascii_names_become_lower_case_and_lose_one_final_dot(void **state)
{
	static const struct name_case cases[] = {
		{"example.com", "example.com"},
		{"EXAMPLE.Com", "example.com"},
		{"example.com.", "example.com"},
		{"localhost", "localhost"},
		{"_dmarc.example.com", "_dmarc.example.com"},
		{"a_b.example.com", "a_b.example.com"},
		{"1.example.com", "1.example.com"},
		{"1and1.com", "1and1.com"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"XN--BCHER-KVA.example", "xn--bcher-kva.example"},
		{"a-b--c.example", "a-b--c.example"},
		{"mail.1a", "mail.1a"},
	};

	(void)state;
	CHECK_NAMES(cases);
}

static void text_that_is_not_a_domain_name_is_refused(void **state)
{
	static const struct name_case cases[] = {
		{"", NULL},
		{".", NULL},
		{"..", NULL},
		{".com", NULL},
		{"example..com", NULL},
		{"example.com..", NULL},
		{"-a.example", NULL},
		{"a-.example", NULL},
		{"exa mple.com", NULL},
		{" example.com", NULL},
		{"example.com ", NULL},
		{"example.com\n", NULL},
		{"exam\tple.com", NULL},
		{"example.com/x", NULL},
		{"a@example.com", NULL},
		{"example.com:25", NULL},
		{"*.example.com", NULL},
		{"[192.0.2.1]", NULL},
		{"[IPv6:2001:db8::1]", NULL},
		{"192.0.2.1", NULL},
		{"2001:db8::1", NULL},
		{"example.123", NULL},
		{"1", NULL},
		{"=?utf-8?q?example?=.com", NULL},
		{"example\\.com", NULL},
		{"\"example\".com", NULL},
		{"exa\x01mple.com", NULL},
		{"exa\x7fmple.com", NULL},
	};

	(void)state;
	CHECK_NAMES(cases);
}

static void u_labels_become_a_labels(void **state)
{
	static const struct name_case cases[] = {
		{"b\xc3\xbc"
		 "cher.example",
			"xn--bcher-kva.example"},
		{"B\xc3\x9c"
		 "CHER.example",
			"xn--bcher-kva.example"},
		{"bu\xcc\x88"
		 "cher.example",
			"xn--bcher-kva.example"},
		{"fa\xc3\x9f.example", "xn--fa-hia.example"},
		{"\xe4\xbe\x8b\xe3\x81\x88.\xe3\x83\x86\xe3\x82\xb9\xe3\x83\x88",
			"xn--r8jz45g.xn--zckzah"},
		{"example\xe3\x80\x82"
		 "com",
			"example.com"},
		{"\xef\xbd\x85\xef\xbd\x98\xef\xbd\x81mple.com", "example.com"},
		{"_dmarc.b\xc3\xbc"
		 "cher.example",
			"_dmarc.xn--bcher-kva.example"},
	};

	(void)state;
	CHECK_NAMES(cases);
}

static void unicode_that_would_become_other_characters_is_refused(void **state)
{
	static const struct name_case cases[] = {
		{"a\xef\xbc\xa0"
		 "b.example",
			NULL},                                  /* fullwidth @ */
		{"example.com\xe2\x84\x80.evil.example", NULL}, /* a/c */
		{"example.com\xef\xbc\x8f"
		 "x",
			NULL}, /* fullwidth / */
		{"exa\xe2\x80\xae"
		 "mple.com",
			NULL}, /* right-to-left override */
		{"example\xff.com", NULL}, {"example\xc3", NULL},
		{"\xc0\xae"
		 "com",
			NULL},                 /* overlong dot */
		{"\xed\xa0\x80.com", NULL},    /* surrogate */
		{"exa\xc2\xa0mple.com", NULL}, /* no-break space */
		{"\xcc\x88"
		 "a.example",
			NULL}, /* begins with a combining mark */
	};

	(void)state;
	CHECK_NAMES(cases);
}

static void labels_of_63_and_names_of_253_octets_are_the_most(void **state)
{
	char label[65];
	char *name = rt_alloc(&test_event, 300);

	(void)state;
	memset(label, 'a', 64);
	label[64] = '\0';
	assert_null(eds_domain_normalize(&test_event, label, 64));
	assert_non_null(eds_domain_normalize(&test_event, label, 63));
	for (size_t i = 0; i < 253; i++)
		name[i] = i % 64 == 63 ? '.' : 'a';
	assert_non_null(eds_domain_normalize(&test_event, name, 253));
	name[253] = '.';
	assert_non_null(eds_domain_normalize(&test_event, name, 254));
	name[253] = 'a';
	assert_null(eds_domain_normalize(&test_event, name, 254));
	name = rt_alloc(&test_event, 100000);
	memset(name, 'a', 99999);
	assert_null(eds_domain_normalize(&test_event, name, 99999));
	memcpy(name, "\xc3\xbc", 2);
	assert_null(eds_domain_normalize(&test_event, name, 99999));
	assert_null(eds_domain_normalize(&test_event, name, 200));
}

static void a_nul_is_never_part_of_a_name(void **state)
{
	(void)state;
	assert_null(eds_domain_normalize(&test_event, "example.com\0.evil.example", 25));
	assert_null(eds_domain_normalize(&test_event, "\0", 1));
}

static void the_domain_of_an_envelope_address_follows_its_last_at_sign(void **state)
{
	static const struct name_case cases[] = {
		{"", NULL},
		{"postmaster", NULL},
		{"a@", NULL},
		{"a@example.com", "example.com"},
		{"A@EXAMPLE.COM", "example.com"},
		{"\"a@b\"@example.com", "example.com"},
		{"a@b@example.com", "example.com"},
		{"@example.com", "example.com"},
		{"a@[192.0.2.1]", NULL},
		{"a@example.com>", NULL},
		{"a@b\xc3\xbc"
		 "cher.example",
			"xn--bcher-kva.example"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *domain = eds_address_domain(&test_event, cases[i].given);

		assert_string_equal(shown(domain), shown(cases[i].expected));
	}
}

static void a_name_is_shown_in_u_labels_where_it_has_any(void **state)
{
	static const char *const cases[][2] = {
		{"example.com", "example.com"},
		{"xn--bcher-kva.example",
			"b\xc3\xbc"
			"cher.example"},
		{"a.xn--bcher-kva.xn--p1ai",
			"a.b\xc3\xbc"
			"cher.\xd1\x80\xd1\x84"},
		/* this A-label encodes no valid U-label, so it stays as it is */
		{"xn--99999999999.example", "xn--99999999999.example"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(eds_domain_unicode(&test_event, cases[i][0]), cases[i][1]);
}

static void a_part_of_a_name_is_searched_for_in_its_u_labels_too(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"SHOP.Ex", "shop.ex"},
		{"B\xc3\x9c"
		 "CH",
			"b\xc3\xbc"
			"ch"},
		{"bu\xcc\x88"
		 "ch",
			"b\xc3\xbc"
			"ch"}, /* composed */
		{".B\xc3\xbc"
		 "cher.",
			".b\xc3\xbc"
			"cher."},
		{"-B\xc3\x9c"
		 "CHER-",
			"-b\xc3\xbc"
			"cher-"},
		/* text that cannot be a label is converted all the same */
		{"A\xcc\x88/", "a\xcc\x88/"},
		{"...", "..."},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_string_equal(eds_domain_part_unicode(&test_event, cases[i][0]), cases[i][1]);
}

/* "b\xc3\xbccher.example" is a valid name; a lack of memory while converting it must not make it
 * look invalid. */
static void lack_of_memory_ends_the_process_and_does_not_refuse_the_name(void **state)
{
	int wait_status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		no_memory = true;
		close(STDERR_FILENO);
		eds_domain_normalize(&test_event,
			"b\xc3\xbc"
			"cher.example",
			15);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &wait_status, 0), child);
	assert_true(WIFEXITED(wait_status));
	assert_int_equal(WEXITSTATUS(wait_status), 71);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ascii_names_become_lower_case_and_lose_one_final_dot),
		TEST(text_that_is_not_a_domain_name_is_refused),
		TEST(u_labels_become_a_labels),
		TEST(unicode_that_would_become_other_characters_is_refused),
		TEST(labels_of_63_and_names_of_253_octets_are_the_most),
		TEST(a_name_is_shown_in_u_labels_where_it_has_any),
		TEST(a_part_of_a_name_is_searched_for_in_its_u_labels_too),
		TEST(a_nul_is_never_part_of_a_name),
		TEST(lack_of_memory_ends_the_process_and_does_not_refuse_the_name),
		TEST(the_domain_of_an_envelope_address_follows_its_last_at_sign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The Host of a request: its forms, and which hosts a listener on loopback answers for. */
#include "runtime/config/config.h"
#include "runtime/host/http/http-host.h"
#include "tests/support/test-event.h"

/* The name in the host; "refused" when it is none. */
static const char *name_in(const char *host)
{
	const struct http_span whole = {.text = host, .length = strlen(host)};
	struct http_span name;

	if (!http_host_split(&whole, &name))
		return "refused";
	return rt_memdup(&test_event, name.text, name.length);
}

static void a_host_is_a_name_or_an_address_with_or_without_a_port(void **state)
{
	static const char *const cases[][2] = {
		{"example.com", "example.com"},
		{"EXAMPLE-1_a.com:8080", "EXAMPLE-1_a.com"},
		{"192.0.2.1:0", "192.0.2.1"},
		{"a:65535", "a"},
		{"a:1", "a"},
		{"a:", "a"},
		{"a:00080", "a"},
		{"a:000080", "refused"},
		{"[2001:db8::1]", "2001:db8::1"},
		{"[::1]:443", "::1"},
		{"", "refused"},
		{"[", "refused"},
		{"[]", "refused"},
		{"[::1", "refused"},
		{"[0000:0000:0000:0000:0000:ffff:255.255.255.255]",
			"0000:0000:0000:0000:0000:ffff:255.255.255.255"},
		{"[00000:0000:0000:0000:0000:ffff:255.255.255.255]", "refused"},
		{"[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]", "refused"},
		{"[a name that is far longer than each address of IPv6]", "refused"},
		{"[192.0.2.1]", "refused"},
		{"[::1]443", "refused"},
		{"[::1]:65536", "refused"},
		{"a:65536", "refused"},
		{"a:-1", "refused"},
		{"a:8o", "refused"},
		{":80", "refused"},
		{"a b", "refused"},
		{"a%2e", "refused"},
		{"a/", "refused"},
		{"user@a", "refused"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (strcmp(name_in(cases[i][0]), cases[i][1]) != 0)
			fail_msg("%s is %s", cases[i][0], name_in(cases[i][0]));
}

static void a_name_of_255_octets_is_the_longest(void **state)
{
	char name[257];

	(void)state;
	memset(name, 'a', sizeof name);
	name[255] = '\0';
	assert_string_equal(name_in(name), name);
	memset(name, 'a', sizeof name);
	name[256] = '\0';
	assert_string_equal(name_in(name), "refused");
}

static bool is_ours(const char *host, bool on_loopback, const char *peer)
{
	struct http_head head = {.host = {.text = host, .length = strlen(host)}};
	struct http_request request = {.head = &head, .on_loopback = on_loopback, .peer = peer};

	return http_host_is_ours(&request);
}

static void on_loopback_only_hosts_of_this_machine_and_service_are_ours(void **state)
{
	static const char *const ours[] = {"127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "192.0.2.7",
		"localhost", "LOCALHOST:80", "localhost.", "a.localhost", "a.LocalHost.",
		"eds.example", "EDS.example:1", "eds.example.", "policies.example",
		"policies.example.", ""};
	static const char *const others[] = {"evil.example", "localhost.evil.example", ".localhost",
		"xlocalhost", "eds.example.evil", "xeds.example", "eds.exampl", "eds.example..",
		"policies.example.org", "[::1", "a b", "127.0.0.1.evil.example"};

	(void)state;
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
		if (!is_ours(ours[i], true, "127.0.0.1"))
			fail_msg("%s is not ours", ours[i]);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (is_ours(others[i], true, "127.0.0.1"))
			fail_msg("%s is ours", others[i]);
}

static void elsewhere_and_behind_a_proxy_each_host_is_ours(void **state)
{
	(void)state;
	assert_true(is_ours("evil.example", false, "192.0.2.1"));
	assert_true(is_ours("a b", false, "192.0.2.1"));
	assert_true(is_ours("evil.example", true, "127.0.0.9"));
	assert_false(is_ours("evil.example", true, "127.0.0.8"));
}

static int configure(void **state)
{
	(void)state;
	setenv("EDS_BASE_URL", "https://eds.example:8443", 1);
	setenv("EDS_POLICY_HOST", "policies.example", 1);
	setenv("EDS_TRUSTED_PROXIES", "127.0.0.9", 1);
	rt_config_require();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_host_is_a_name_or_an_address_with_or_without_a_port),
		TEST(a_name_of_255_octets_is_the_longest),
		TEST(on_loopback_only_hosts_of_this_machine_and_service_are_ours),
		TEST(elsewhere_and_behind_a_proxy_each_host_is_ours),
	};

	return cmocka_run_group_tests_name("http-host", tests, configure, NULL);
}

/* The addresses with a special purpose: which of them are on the internet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/ip.h"

static void assert_public(const char *text, bool allow_private, bool public)
{
	struct rt_ip ip;

	assert_true(rt_ip_parse(text, &ip));
	if (rt_ip_is_public(&ip, allow_private) != public)
		fail_msg("%s %s as public%s", text, public ? "does not count" : "counts",
			allow_private ? " where private addresses do" : "");
}

/* The first and the last address of each row of the IANA Special-Purpose Address Registries, and of
 * multicast. */
static void each_special_range_is_public_or_not_from_its_first_to_its_last_address(void **state)
{
	static const struct {
		const char *first;
		const char *last;
		bool public;
		bool where_private_are; /* with EDS_ALLOW_PRIVATE_ADDRESSES */
	} ranges[] = {
		{"0.0.0.0", "0.255.255.255", false, false},
		{"10.0.0.0", "10.255.255.255", false, true},
		{"100.64.0.0", "100.127.255.255", false, true},
		{"127.0.0.0", "127.255.255.255", false, true},
		{"169.254.0.0", "169.254.255.255", false, false},
		{"172.16.0.0", "172.31.255.255", false, true},
		{"192.0.0.9", "192.0.0.9", true, true},
		{"192.0.0.10", "192.0.0.10", true, true},
		{"192.0.0.0", "192.0.0.255", false, false},
		{"192.0.2.0", "192.0.2.255", false, true},
		{"192.88.99.0", "192.88.99.255", false, false},
		{"192.168.0.0", "192.168.255.255", false, true},
		{"198.18.0.0", "198.19.255.255", false, true},
		{"198.51.100.0", "198.51.100.255", false, true},
		{"203.0.113.0", "203.0.113.255", false, true},
		{"224.0.0.0", "239.255.255.255", false, false},
		{"240.0.0.0", "255.255.255.255", false, false},
		{"::1", "::1", false, true},
		{"::", "::ffff:ffff", false, false},
		{"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", false, false},
		{"100::", "100::ffff:ffff:ffff:ffff", false, false},
		{"100:0:0:1::", "100::1:ffff:ffff:ffff:ffff", false, false},
		{"2001:1::1", "2001:1::1", true, true},
		{"2001:1::2", "2001:1::2", true, true},
		{"2001:1::3", "2001:1::3", true, true},
		{"2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", true, true},
		{"2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", true, true},
		{"2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", true, true},
		{"2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", true, true},
		{"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", false, false},
		{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", false, true},
		{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", false, true},
		{"5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false},
		{"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, true},
		{"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false},
		{"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false},
		{"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
		assert_public(ranges[i].first, false, ranges[i].public);
		assert_public(ranges[i].last, false, ranges[i].public);
		assert_public(ranges[i].first, true, ranges[i].where_private_are);
		assert_public(ranges[i].last, true, ranges[i].where_private_are);
	}
}

/* RFC 6052 section 2.1, RFC 3056 section 2. */
static void an_address_with_an_ipv4_address_inside_counts_as_that_address(void **state)
{
	static const struct {
		const char *text;
		bool public;
		bool where_private_are;
	} addresses[] = {
		{"::ffff:192.88.98.1", true, true},
		{"::ffff:10.0.0.1", false, true},
		{"::ffff:169.254.169.254", false, false},
		{"64:ff9b::192.88.98.1", true, true},
		{"64:ff9b::10.0.0.1", false, true},
		{"64:ff9b::169.254.169.254", false, false},
		{"64:ff9b::1:192.88.98.1", false, false},
		{"2002:c058:6201::1", true, true},
		{"2002:a00:1::1", false, true},
		{"2002:a9fe:a9fe::1", false, false},
		{"2003::1", true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
		assert_public(addresses[i].text, false, addresses[i].public);
		assert_public(addresses[i].text, true, addresses[i].where_private_are);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_special_range_is_public_or_not_from_its_first_to_its_last_address),
		cmocka_unit_test(an_address_with_an_ipv4_address_inside_counts_as_that_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

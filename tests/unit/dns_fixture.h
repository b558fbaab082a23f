/* Code shared by the tests of the resolver: a scripted name server with a zone, and an event whose
 * questions go to it. */
#ifndef DNS_FIXTURE_H
#define DNS_FIXTURE_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "functions/lib/dns/dns.h"
#include "functions/lib/dns/resolver.h"
#include "runtime/config/config.h"
#include "runtime/time.h"
#include "tests/support/dnsd-process.h"

static const char zone[] = "example.com SOA 900 ns.example.com h.example.com 1 3600 600 86400 60\n"
			   "example.com A 300 192.0.2.1\n"
			   "example.com A 200 192.0.2.2\n"
			   "example.com AAAA 300 2001:db8::1\n"
			   "example.com MX 300 20 mx2.example.com\n"
			   "example.com MX 300 10 MX1.Example.com\n"
			   "example.com NS 300 ns.example.com\n"
			   "example.com TXT 300 \"v=spf1 \" \"-all\"\n"
			   "octets.example.com TXT 300 \"a\\000b\\255\"\n"
			   "nullmx.example.com MX 300 0 .\n"
			   "mapped.example.com AAAA 300 ::ffff:127.0.0.1\n"
			   "1.2.0.192.in-addr.arpa PTR 300 example.com\n"
			   "odd.example.com PTR 300 a\\.b\\010.example.com\n"
			   "alias.example.com CNAME 100 middle.example.com\n"
			   "middle.example.com CNAME 50 example.com\n"
			   "dangling.example.com CNAME 300 nowhere.example.com\n"
			   "halfway.example.com CNAME 300 nullmx.example.com\n"
			   "loop.example.com CNAME 300 pool.example.com\n"
			   "pool.example.com CNAME 300 loop.example.com\n"
			   "leaf.empty.example.com A 300 192.0.2.1\n"
			   "*.wild.example.com A 300 192.0.2.9\n"
			   "no-soa.test A 300 192.0.2.1\n"
			   "slash\\\\name.example.com A 300 192.0.2.7\n"
			   "bounce+id=a%b#c.example.com A 300 192.0.2.7\n"
			   "late.example.com A !delay=700 300 192.0.2.8\n"
			   "servfail.example.com !servfail\n"
			   "refused.example.com !refused\n"
			   "notimp.example.com !rcode=4\n"
			   "formerr.example.com !rcode=1\n"
			   "notauth.example.com !rcode=9\n"
			   "once.example.com A !once=servfail 300 192.0.2.3\n"
			   "drop.example.com !drop\n"
			   "wrongid.example.com A !wrongid 300 192.0.2.4\n"
			   "garbage.example.com !garbage\n"
			   "truncated.example.com A !truncate 300 192.0.2.5\n"
			   "*.corp.internal A 300 10.0.0.1\n"
			   "com CAA 300 \"\\000\\005issueca.example\"\n"
			   "shared.example.com CNAME 300 db.corp.internal\n"
			   "deep.example.com CNAME 300 hop.corp.internal\n"
			   "hop.corp.internal CNAME 300 host.example.com\n"
			   "slow.example.com A !delay=80 300 192.0.2.6\n"
			   "*.slow.example.com A !delay=80 300 192.0.2.6\n";

static struct dnsd dnsd;
static struct rt_ctx context;
static struct eds_dns *dns;
static const char *configured_servers;

static inline void begin_event(int deadline_ms)
{
	memset(&context, 0, sizeof context);
	context.arena = rt_arena_new();
	context.deadline_ms = rt_monotonic_ms() + deadline_ms;
	assert_int_equal(eds_dns_open(&context, &dns), RT_OK);
}

static inline void end_event(void)
{
	rt_arena_free(context.arena);
}

static inline int start(void **state)
{
	(void)state;
	begin_event(10000);
	return 0;
}

static inline int stop(void **state)
{
	(void)state;
	end_event();
	return 0;
}

static inline const struct eds_dns_answer *expect(
	const char *name, enum eds_dns_type type, enum eds_dns_state expected)
{
	const struct eds_dns_answer *answer = eds_dns_get(dns, name, type);

	assert_int_equal(answer->state, expected);
	assert_int_equal(answer->type, type);
	if (expected == EDS_DNS_TEMPORARY)
		assert_string_not_equal(answer->reason, "");
	else
		assert_string_equal(answer->reason, "");
	if (expected == EDS_DNS_FOUND)
		assert_true(answer->count > 0);
	else
		assert_int_equal(answer->count, 0);
	return answer;
}

/* The environment is read only once, so a test with other servers changes the configuration
 * itself. */
static inline void set_servers(const char *servers)
{
	((struct rt_config *)rt_config())->dns_servers = servers;
	eds_resolver_close();
}

static inline int restore(void **state)
{
	(void)state;
	end_event();
	set_servers(configured_servers);
	return 0;
}

#define DNS_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
#define SERVERS_TEST(name) cmocka_unit_test_setup_teardown(name, NULL, restore)

#endif

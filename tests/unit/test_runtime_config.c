/* Settings of the environment: defaults, forms, and the sentence that stops a start. */
#include <string.h>

#include "runtime/config/config-unknown.h"
#include "runtime/config/config.h"
#include "tests/support/test-event.h"

static const char *const names[] = {"EDS_BASE_URL", "EDS_TESTER_DOMAIN", "EDS_REPORT_DOMAIN",
	"EDS_POLICY_HOST", "EDS_POLICY_AUTHORITY", "EDS_ASN_ZONE", "EDS_HTTP_LISTEN",
	"EDS_SMTP_LISTEN", "EDS_OPS_LISTEN", "EDS_METRICS_LISTEN", "EDS_DATABASE_URL",
	"EDS_MAIL_STORE", "EDS_DNS_SERVERS", "EDS_DNSBL_COMBINED", "EDS_DNSBL_RELAY",
	"EDS_DNSBL_REPUTATION", "EDS_DNSBL_REPORTED", "EDS_CA_FILE", "EDS_RSPAMD",
	"EDS_ALERT_RELAY", "EDS_ALERT_FROM", "EDS_TESTER_SESSIONS_PER_HOUR", "EDS_TRUSTED_PROXIES",
	"EDS_TRUSTED_RELAYS", "EDS_SMTP_TRUSTED", "EDS_SANDBOX", "EDS_LOG_LEVEL",
	"EDS_ALLOW_PRIVATE_ADDRESSES", "EDS_POLICY_FETCH_PORT", "EDS_NAME_SERVER_PORT",
	"EDS_STARTTLS_PORT", "EDS_WEBHOOK_PORT", "EDS_QUOTA_FREE", "EDS_QUOTA_PAID",
	"EDS_DATABASE_CONNECTIONS", "EDS_CONTACT", "EDS_IMPRINT_URL", "EDS_PRIVACY_URL",
	"EDS_BLOCKED_NETWORKS", "EDS_TITLE"};

static int clean_environment(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		unsetenv(names[i]);
	return 0;
}

static struct rt_config config;
static char error[RT_CONFIG_ERROR_MAX];

static void an_empty_environment_configures_a_service_for_this_machine_alone(void **state)
{
	(void)state;
	assert_true(rt_config_load(&config, error));
	assert_string_equal(config.base_url, "http://127.0.0.1:8080");
	assert_string_equal(config.tester_domain, "tester.localhost");
	assert_string_equal(config.policy_authority, "letsencrypt.org");
	assert_string_equal(config.http_listen, "127.0.0.1:8080");
	assert_string_equal(config.smtp_listen, "127.0.0.1:2525");
	assert_string_equal(config.ops_listen, "127.0.0.1:9090");
	assert_string_equal(config.database_url, "sqlite:var/eds.db");
	assert_int_equal(config.sessions_per_hour, 60);
	assert_int_equal(config.database_connections, 64);
	assert_int_equal(config.sandbox, RT_SANDBOX_REQUIRED);
	assert_false(config.allow_private);
	assert_int_equal(config.smtp_trusted.count, 0);
	assert_string_equal(config.dnsbl[RT_DNSBL_COMBINED].zone, "zen.spamhaus.org");
	assert_true(config.dnsbl[RT_DNSBL_COMBINED].ipv6);
	assert_false(config.dnsbl[RT_DNSBL_RELAY].ipv6);
}

static void a_quota_set_in_part_keeps_the_defaults_of_the_rest(void **state)
{
	(void)state;
	setenv("EDS_QUOTA_FREE", "checks=0,domains=3", 1);
	assert_true(rt_config_load(&config, error));
	assert_int_equal(config.quota[RT_QUOTA_FREE].domains, 3);
	assert_int_equal(config.quota[RT_QUOTA_FREE].selectors, 20);
	assert_int_equal(config.quota[RT_QUOTA_FREE].checks, 0);
	assert_int_equal(config.quota[RT_QUOTA_FREE].certificates, 10);
	assert_int_equal(config.quota[RT_QUOTA_FREE].uploads, 100);
	assert_int_equal(config.quota[RT_QUOTA_PAID].domains, 10000);
	assert_int_equal(config.quota[RT_QUOTA_PAID].checks, 1000);
	assert_int_equal(config.quota[RT_QUOTA_PAID].uploads, 1000);
}

static void a_quota_of_another_form_is_refused(void **state)
{
	static const char *const bad[] = {"domains", "domains=", "domains=-1", "domains=1000001",
		"domains=1,", "sheep=1", "domains=1;checks=2", "domains =1"};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		setenv("EDS_QUOTA_PAID", bad[i], 1);
		assert_false(rt_config_load(&config, error));
		assert_non_null(strstr(error, "EDS_QUOTA_PAID must be a list like domains="));
	}
}

static void valid_values_are_accepted_and_made_canonical(void **state)
{
	(void)state;
	setenv("EDS_BASE_URL", "https://mail.example.com/", 1);
	setenv("EDS_TITLE", "Prüfstelle: sixty octets in all, which is as many as fit in", 1);
	setenv("EDS_CONTACT", "o'hara&co@example.com", 1);
	setenv("EDS_IMPRINT_URL", "https://example.com/imprint?language=en&x=1", 1);
	setenv("EDS_TESTER_DOMAIN", "Test.Example.COM.", 1);
	setenv("EDS_HTTP_LISTEN", "[::1]:0", 1);
	setenv("EDS_DNS_SERVERS", "127.0.0.1:5353, [::1]:53,192.0.2.1", 1);
	setenv("EDS_SMTP_TRUSTED", "127.0.0.1, 10.0.0.0/8", 1);
	setenv("EDS_SANDBOX", "off", 1);
	assert_true(rt_config_load(&config, error));
	assert_string_equal(config.base_url, "https://mail.example.com");
	assert_string_equal(
		config.title, "Prüfstelle: sixty octets in all, which is as many as fit in");
	assert_string_equal(config.contact, "o'hara&co@example.com");
	assert_string_equal(config.imprint_url, "https://example.com/imprint?language=en&x=1");
	assert_string_equal(config.tester_domain, "test.example.com");
	assert_int_equal(config.smtp_trusted.count, 2);
	assert_int_equal(config.sandbox, RT_SANDBOX_OFF);
}

static void a_relay_on_this_machine_alone_needs_no_tls(void **state)
{
	static const struct {
		const char *url;
		bool needs_no_tls;
	} relays[] = {
		{"smtp://127.0.0.1:25", true},
		{"smtp://localhost", true},
		{"smtp://[::1]:2525", true},
		{"smtp://relay.example.com:587", false},
		{"smtp://user:p%40ss@relay.example.com", false},
		{"smtp://127.0.0.1.example.com", false},
		{"smtp://localhost.example.com", false},
		{"smtp://localhost.", false},
		{"smtp://[2001:db8::1]:25", false},
		{"smtp://192.0.2.1", false},
		{"smtps://127.0.0.1", false},
		{"smtps://user:password@relay.example.com:465", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof relays / sizeof relays[0]; i++) {
		setenv("EDS_ALERT_RELAY", relays[i].url, 1);
		if (!rt_config_load(&config, error))
			fail_msg("%s: %s", relays[i].url, error);
		assert_string_equal(config.alert_relay.url, relays[i].url);
		if (config.alert_relay.needs_no_tls != relays[i].needs_no_tls)
			fail_msg("%s", relays[i].url);
	}
}

static void the_password_of_a_relay_is_not_repeated(void **state)
{
	(void)state;
	setenv("EDS_ALERT_RELAY", "smtps://user:hunter2@", 1);
	assert_false(rt_config_load(&config, error));
	assert_null(strstr(error, "hunter2"));
}

#define ARN "secretsmanager:arn:aws:secretsmanager:eu-central-1:111122223333"

static void the_database_may_be_named_by_a_secret_of_aws(void **state)
{
	static const char *const right[] = {ARN ":secret:eds-a1B2c3", ARN ":secret:eds-a1B2c3#url",
		ARN ":secret:rds!db-1/x_+=.@-a1B2c3?host=db.example&dbname=eds",
		"secretsmanager:arn:aws-us-gov:secretsmanager:us-gov-west-1:1:secret:e#u"};

	for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
		clean_environment(state);
		setenv("EDS_DATABASE_URL", right[i], 1);
		assert_true(rt_config_load(&config, error));
		assert_string_equal(config.database_url, right[i]);
	}
}

static const char *const wrong_values[][2] = {
	{"EDS_BASE_URL", "mail.example.com"},
	{"EDS_BASE_URL", "https://"},
	{"EDS_BASE_URL", "https:///"},
	{"EDS_BASE_URL", "https://mail.example.com:0"},
	{"EDS_BASE_URL", "https://mail.example.com:65536"},
	{"EDS_BASE_URL", "https://mail.example.com:443x"},
	{"EDS_BASE_URL", "https://mail.example.com/eds"},
	{"EDS_BASE_URL", "https://mail.example.com?x"},
	{"EDS_BASE_URL", "https://user@mail.example.com"},
	{"EDS_BASE_URL", "https://mail example.com"},
	{"EDS_BASE_URL", "https://[::1"},
	{"EDS_TITLE", ""},
	{"EDS_TITLE", "a<b"},
	{"EDS_TITLE", "Q&A"},
	{"EDS_TITLE", "two\nlines"},
	{"EDS_TITLE", "\xff"},
	{"EDS_TITLE", "sixty-one octets, of which the very last one is one too many."},
	{"EDS_CONTACT", "abuse"},
	{"EDS_CONTACT", "mailto:abuse@example.com"},
	{"EDS_CONTACT", "abuse@example.com\r\nX: y"},
	{"EDS_IMPRINT_URL", "example.com/imprint"},
	{"EDS_IMPRINT_URL", "javascript:alert(1)"},
	{"EDS_IMPRINT_URL", "https://example.com/\"><script>"},
	{"EDS_PRIVACY_URL", "https://example.com/a b"},
	{"EDS_PRIVACY_URL", "privacy@example.com"},
	{"EDS_BLOCKED_NETWORKS", "example.com"},
	{"EDS_TESTER_DOMAIN", ""},
	{"EDS_TESTER_DOMAIN", "a..b"},
	{"EDS_TESTER_DOMAIN", "a b"},
	{"EDS_HTTP_LISTEN", "8080"},
	{"EDS_HTTP_LISTEN", "localhost:8080"},
	{"EDS_HTTP_LISTEN", "127.0.0.1:65536"},
	{"EDS_HTTP_LISTEN", "127.0.0.1:-1"},
	{"EDS_DATABASE_URL", "mysql://x"},
	{"EDS_DATABASE_URL", "sqlite:"},
	{"EDS_MAIL_STORE", "/var/mail"},
	{"EDS_DNS_SERVERS", "one.one.one.one"},
	{"EDS_DATABASE_URL", "file:"},
	{"EDS_DATABASE_URL", "secretsmanager:"},
	{"EDS_DATABASE_URL", "secretsmanager:eds#url"},
	{"EDS_DATABASE_URL", ARN ":secret:"},
	{"EDS_DATABASE_URL", ARN ":secret:eds#"},
	{"EDS_DATABASE_URL", ARN ":secret:eds?"},
	{"EDS_DATABASE_URL", ARN ":secret:eds#url\n"},
	{"EDS_DATABASE_URL", ARN ":secret:e\"ds#url"},
	{"EDS_DATABASE_CONNECTIONS", "0"},
	{"EDS_DATABASE_CONNECTIONS", "many"},
	{"EDS_TESTER_SESSIONS_PER_HOUR", "-1"},
	{"EDS_TESTER_SESSIONS_PER_HOUR", "1e3"},
	{"EDS_TRUSTED_PROXIES", "10.0.0.0/33"},
	{"EDS_SMTP_TRUSTED", "10.0.0.1 10.0.0.2"},
	{"EDS_SANDBOX", "no"},
	{"EDS_LOG_LEVEL", "loud"},
	{"EDS_ALLOW_PRIVATE_ADDRESSES", "yes"},
	{"EDS_POLICY_FETCH_PORT", "99999"},
	{"EDS_POLICY_FETCH_PORT", "0"},
	{"EDS_WEBHOOK_PORT", "0"},
	{"EDS_STARTTLS_PORT", "65536"},
	{"EDS_NAME_SERVER_PORT", "65536"},
	{"EDS_NAME_SERVER_PORT", "-1"},
	{"EDS_MAIL_STORE", "s3://Bucket/prefix"},
	{"EDS_CA_FILE", "/nonexistent/ca.pem"},
	{"EDS_ALERT_RELAY", "relay.example.com"},
	{"EDS_ALERT_RELAY", "http://relay.example.com"},
	{"EDS_ALERT_RELAY", "smtp://"},
	{"EDS_ALERT_RELAY", "smtp://relay.example.com:0"},
	{"EDS_ALERT_RELAY", "smtp://relay.example.com:25/path"},
	{"EDS_ALERT_RELAY", "smtp://relay.example.com:25?x"},
	{"EDS_ALERT_RELAY", "smtp://[::1"},
	{"EDS_ALERT_RELAY", "smtp://[relay]"},
	{"EDS_ALERT_RELAY", "smtps://user:pass/word@relay.example.com"},
	{"EDS_ALERT_FROM", "alerts"},
	{"EDS_ALERT_FROM", "alerts@"},
	{"EDS_ALERT_FROM", "eds <alerts@example.com>"},
	{"EDS_ALERT_FROM", "alerts@example.com\r\nBcc: x@example.com"},
	{"EDS_RSPAMD", "127.0.0.1:11333"},
	{"EDS_RSPAMD", "http://"},
	{"EDS_RSPAMD", "http://user:password@127.0.0.1:11333"},
	{"EDS_RSPAMD", "http://127.0.0.1:11333/?a=b"},
};

static void a_wrong_value_is_refused_with_its_name_and_what_it_must_be(void **state)
{
	for (size_t i = 0; i < sizeof wrong_values / sizeof wrong_values[0]; i++) {
		clean_environment(state);
		setenv(wrong_values[i][0], wrong_values[i][1], 1);
		if (rt_config_load(&config, error))
			fail_msg("%s=%s was accepted", wrong_values[i][0], wrong_values[i][1]);
		assert_ptr_equal(strstr(error, wrong_values[i][0]), error);
		assert_non_null(strstr(error, "must be"));
	}
}

static char unknown[512]; /* "NAME>SUGGESTION " for each unknown setting */

static void note_unknown(const char *name, size_t length, const char *like)
{
	size_t used = strlen(unknown);

	snprintf(unknown + used, sizeof unknown - used, "%.*s>%s ", (int)length, name,
		like != NULL ? like : "none");
}

static void a_misspelt_variable_is_refused_with_the_intended_name(void **state)
{
	char *environment[] = {"PATH=/bin", "EDS_TIMEOUT_MS=1000", "EDS_LOG_LEVEL=info",
		"EDS_TEST_DATABASE_URL=x", "EDS_LOG_LEVE=info", "EDS_DNS_SERVER=x",
		"EDS_TESTER_DOMIAN", "EDS_EVERYTHING_ELSE=x", "EDS_URL=x", "EDS_TOKEN=x", NULL};

	(void)state;
	unknown[0] = '\0';
	assert_int_equal(rt_config_unknown(environment, note_unknown), 4);
	assert_string_equal(unknown,
		"EDS_LOG_LEVE>EDS_LOG_LEVEL EDS_DNS_SERVER>EDS_DNS_SERVERS "
		"EDS_TESTER_DOMIAN>EDS_TESTER_DOMAIN EDS_EVERYTHING_ELSE>none ");
}

static void variables_that_kubernetes_sets_for_a_service_named_eds_are_ignored(void **state)
{
	char *environment[] = {"EDS_SERVICE_HOST=10.0.0.1", "EDS_SERVICE_PORT_HTTP=80",
		"EDS_PORT=tcp://10.0.0.1:80", "EDS_PORT_80_TCP_ADDR=10.0.0.1",
		"EDS_HTTP_SERVICE_HOST=10.0.0.2", NULL};
	char *other[] = {"EDS_PORT=80", NULL};

	(void)state;
	assert_int_equal(rt_config_unknown(environment, note_unknown), 0);
	assert_int_equal(rt_config_unknown(other, note_unknown), 1);
}

static void values_that_may_hold_a_secret_are_not_repeated(void **state)
{
	(void)state;
	setenv("EDS_DATABASE_URL", "mysql://user:geheim@host/", 1);
	assert_false(rt_config_load(&config, error));
	assert_null(strstr(error, "geheim"));
	unsetenv("EDS_DATABASE_URL");
	setenv("EDS_DNSBL_COMBINED", "geheim.zone.example=x", 1);
	assert_false(rt_config_load(&config, error));
	assert_null(strstr(error, "geheim"));
}

static void a_blocklist_names_its_codes(void **state)
{
	const struct rt_dnsbl *list = &config.dnsbl[RT_DNSBL_REPUTATION];

	(void)state;
	setenv("EDS_DNSBL_REPUTATION", "BL.Example.=2,10-12,v6", 1);
	assert_true(rt_config_load(&config, error));
	assert_string_equal(list->zone, "bl.example");
	assert_true(list->codes[2] && list->codes[10] && list->codes[12] && list->ipv6);
	assert_false(list->codes[1] || list->codes[3] || list->codes[9] || list->codes[13]);
}

static void a_blocklist_without_codes_counts_every_answer_but_127_0_0_1(void **state)
{
	const struct rt_dnsbl *list = &config.dnsbl[RT_DNSBL_RELAY];

	(void)state;
	setenv("EDS_DNSBL_RELAY", "bl.example", 1);
	assert_true(rt_config_load(&config, error));
	assert_true(list->codes[2] && list->codes[255]);
	assert_false(list->codes[0] || list->codes[1]);
}

static void an_empty_blocklist_is_switched_off_and_a_malformed_one_refused(void **state)
{
	static const char *const wrong[] = {"=2", "bl.example=", "bl.example=1", "bl.example=256",
		"bl.example=5-2", "bl.example=2-", "bl.example=v6", "bl example=2",
		"bl.example=2,,3"};

	(void)state;
	setenv("EDS_DNSBL_RELAY", "", 1);
	assert_true(rt_config_load(&config, error));
	assert_string_equal(config.dnsbl[RT_DNSBL_RELAY].zone, "");
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		setenv("EDS_DNSBL_RELAY", wrong[i], 1);
		if (rt_config_load(&config, error))
			fail_msg("the list %s was accepted", wrong[i]);
	}
}

/* Nobody need read the configuration explicitly: the first use reads it. If it did not, zero fields
 * would be taken for settings. */
static void the_configuration_is_read_when_it_is_first_needed(void **state)
{
	(void)state;
	setenv("EDS_SANDBOX", "filter", 1);
	assert_int_equal(rt_config()->sandbox, RT_SANDBOX_FILTER);
	assert_int_equal(rt_config()->sessions_per_hour, 60);
}

#define config_test(test) cmocka_unit_test_setup(test, clean_environment)

int main(void)
{
	const struct CMUnitTest tests[] = {
		config_test(the_configuration_is_read_when_it_is_first_needed),
		config_test(an_empty_environment_configures_a_service_for_this_machine_alone),
		config_test(a_quota_set_in_part_keeps_the_defaults_of_the_rest),
		config_test(a_quota_of_another_form_is_refused),
		config_test(valid_values_are_accepted_and_made_canonical),
		config_test(a_relay_on_this_machine_alone_needs_no_tls),
		config_test(the_password_of_a_relay_is_not_repeated),
		config_test(the_database_may_be_named_by_a_secret_of_aws),
		config_test(a_wrong_value_is_refused_with_its_name_and_what_it_must_be),
		config_test(a_misspelt_variable_is_refused_with_the_intended_name),
		config_test(variables_that_kubernetes_sets_for_a_service_named_eds_are_ignored),
		config_test(values_that_may_hold_a_secret_are_not_repeated),
		config_test(a_blocklist_names_its_codes),
		config_test(a_blocklist_without_codes_counts_every_answer_but_127_0_0_1),
		config_test(an_empty_blocklist_is_switched_off_and_a_malformed_one_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

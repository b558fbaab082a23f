/* The address of the database from the content of a secret. The test asks libpq itself how it reads
 * the address. */
#include <dlfcn.h>
#include <postgresql/libpq-fe.h>

#include "functions/lib/store/db/database-secret.h"
#include "runtime/config/config.h"
#include "tests/support/test-event.h"

#define RDS "{\"username\":\"eds\",\"password\":\"p&w=/@:#? 1\"}"
#define WHOLE                                                                                      \
	"{\"engine\":\"postgres\",\"username\":\"eds\",\"password\":\"geheim\",\"host\":\"db\","   \
	"\"port\":5433,\"dbname\":\"mail\"}"

static const char *url;
static __typeof__(PQconninfoParse) *parse;
static __typeof__(PQconninfoFree) *free_options;

static int load_libpq(void **state)
{
	static void *library;

	(void)state;
	library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		return -1;
	*(void **)&parse = dlsym(library, "PQconninfoParse");
	*(void **)&free_options = dlsym(library, "PQconninfoFree");
	return parse != NULL && free_options != NULL ? 0 : -1;
}

static int set_up(void **state)
{
	unsetenv("PGHOST");
	unsetenv("PGSSLMODE");
	unsetenv("PGSSLROOTCERT");
	unsetenv("EDS_CA_FILE");
	rt_config_require();
	return test_event_begin(state);
}

#define SECRET_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, test_event_end)

/* The value that libpq reads for a parameter of the address; "" for a missing one. */
static const char *parameter(const char *name)
{
	static char value[256];
	PQconninfoOption *options = parse(url, NULL);

	assert_non_null(options);
	value[0] = '\0';
	for (const PQconninfoOption *option = options; option->keyword != NULL; option++)
		if (strcmp(option->keyword, name) == 0 && option->val != NULL)
			snprintf(value, sizeof value, "%s", option->val);
	free_options(options);
	return value;
}

static void assert_read(struct rt_ctx *ctx, const char *text, const char *which)
{
	assert_int_equal(eds_database_secret_url(ctx, text, which, &url), RT_OK);
}

static void assert_refused(
	struct rt_ctx *ctx, const char *text, const char *which, const char *because)
{
	rt_fail_clear(ctx);
	assert_int_equal(eds_database_secret_url(ctx, text, which, &url), RT_TEMPORARY);
	assert_string_equal(ctx->failure.code, "store-unavailable");
	if (strstr(ctx->failure.detail, because) == NULL)
		fail_msg("\"%s\" does not say: %s", ctx->failure.detail, because);
	assert_null(strstr(ctx->failure.detail, "geheim"));
}

static void the_whole_secret_or_a_member_of_it_is_an_address(void **state)
{
	assert_read(*state, "postgresql://eds:geheim@db/eds", "");
	assert_string_equal(url, "postgresql://eds:geheim@db/eds");
	assert_read(*state, "{\"url\":\"postgres://eds:geheim@db/eds\"}", "#url");
	assert_string_equal(url, "postgres://eds:geheim@db/eds");
}

static void a_secret_of_rds_is_combined_with_the_parameters(void **state)
{
	assert_read(*state, RDS, "?host=db.example&dbname=mail&sslmode=require");
	assert_string_equal(parameter("user"), "eds");
	assert_string_equal(parameter("password"), "p&w=/@:#? 1");
	assert_string_equal(parameter("host"), "db.example");
	assert_string_equal(parameter("dbname"), "mail");
	assert_string_equal(parameter("sslmode"), "require");
	assert_string_equal(parameter("port"), "");
}

static void parameters_override_the_server_named_in_the_secret(void **state)
{
	assert_read(*state, WHOLE, "");
	assert_string_equal(parameter("host"), "db");
	assert_string_equal(parameter("port"), "5433");
	assert_string_equal(parameter("dbname"), "mail");
	assert_read(*state, WHOLE, "?host=proxy&port=6432");
	assert_string_equal(parameter("host"), "proxy");
	assert_string_equal(parameter("port"), "6432");
	assert_string_equal(parameter("dbname"), "mail");
	assert_string_equal(parameter("password"), "geheim");
}

static void the_certificate_is_verified_unless_a_parameter_says_otherwise(void **state)
{
	assert_read(*state, WHOLE, "");
	assert_string_equal(parameter("sslmode"), "verify-full");
	assert_string_equal(parameter("sslrootcert"), "");
	setenv("EDS_CA_FILE", "/etc/hostname", 1);
	rt_config_require();
	assert_read(*state, WHOLE, "");
	assert_string_equal(parameter("sslrootcert"), "/etc/hostname");
	assert_read(*state, WHOLE, "?sslrootcert=/other.pem&sslmode=verify-ca");
	assert_string_equal(parameter("sslrootcert"), "/other.pem");
	assert_string_equal(parameter("sslmode"), "verify-ca");
	setenv("PGSSLMODE", "verify-ca", 1);
	setenv("PGSSLROOTCERT", "/third.pem", 1);
	assert_read(*state, WHOLE, "");
	assert_null(strstr(url, "ssl"));
}

static void a_host_is_required_and_may_come_from_the_environment(void **state)
{
	assert_refused(*state, RDS, "", "has no host");
	assert_refused(*state, RDS, "?dbname=eds&ghost=db", "has no host");
	setenv("PGHOST", "db.example", 1);
	rt_fail_clear(*state);
	assert_read(*state, RDS, "?dbname=eds");
	assert_null(strstr(url, "host="));
}

static void text_that_is_not_an_address_is_refused_and_not_repeated(void **state)
{
	static const struct {
		const char *text;
		const char *which;
		const char *because;
	} wrong[] = {
		{"geheim", "", "not an address of PostgreSQL and has no username and password"},
		{"geheim", "#url", "is not a JSON object"},
		{"{\"url\":\"geheim\"}", "#url",
			"whose member \"url\" is not an address of PostgreSQL"},
		{"{\"url\":\"sqlite:geheim\"}", "#url",
			"whose member \"url\" is not an address of PostgreSQL"},
		{"{\"url\":5}", "#url", "whose member \"url\" is not an address of PostgreSQL"},
		{"{\"geheim\":\"postgresql://db/eds\"}", "#url", "has no member \"url\""},
		{"{\"username\":\"eds\"}", "?host=db", "no username and password"},
		{"{\"username\":\"eds\",\"password\":\"\"}", "?host=db",
			"no username and password"},
		{"{\"username\":\"geheim\",\"username\":\"eds\",\"password\":\"x\"}", "?host=db",
			"no username and password"},
		{"[\"geheim\"]", "#0", "is not a JSON object"},
		{"postgresql://eds:geheim@db/eds", "?host=db", "no username and password"},
		{"", "", "not an address of PostgreSQL"},
	};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_refused(*state, wrong[i].text, wrong[i].which, wrong[i].because);
}

static void an_address_longer_than_4096_octets_is_refused(void **state)
{
	static char text[4096 + 2] = "postgresql://";
	static char rds[4096 * 2];

	memset(text + strlen(text), 'x', 4096 - strlen(text));
	assert_read(*state, text, "");
	text[4096] = 'x';
	assert_refused(*state, text, "", "has an address that is too long");
	snprintf(
		rds, sizeof rds, "{\"username\":\"eds\",\"host\":\"h\",\"password\":\"%s\"}", text);
	assert_refused(*state, rds, "", "is too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SECRET_TEST(the_whole_secret_or_a_member_of_it_is_an_address),
		SECRET_TEST(a_secret_of_rds_is_combined_with_the_parameters),
		SECRET_TEST(parameters_override_the_server_named_in_the_secret),
		SECRET_TEST(the_certificate_is_verified_unless_a_parameter_says_otherwise),
		SECRET_TEST(a_host_is_required_and_may_come_from_the_environment),
		SECRET_TEST(text_that_is_not_an_address_is_refused_and_not_repeated),
		SECRET_TEST(an_address_longer_than_4096_octets_is_refused),
	};

	return cmocka_run_group_tests(tests, load_libpq, NULL);
}

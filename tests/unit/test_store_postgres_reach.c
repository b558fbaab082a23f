/* PostgreSQL when it cannot be reached, or lets nobody in. Tests that need a server run when
 * EDS_TEST_DATABASE_URL names one (tests/support/postgres.mjs), the others when it does not.
 */
#include "runtime/time.h"
#include "tests/unit/store_fixture.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

#include "functions/lib/store/schema/schema-state.h"

enum {
	SHORT_MS = 300,
	URL_MAX = 128,
	USER_URL_MAX = PATH_MAX_BYTES + 64,
	SOON_MS = 5000, /* much less than any time-out of the system */
};

/* Asserts that the database is reported as out of reach within the time limit; returns the
 * reason. */
static const char *assert_out_of_reach(const char *url, int timeout_ms)
{
	int64_t start_ms = rt_monotonic_ms();
	const char *reason;
	struct eds_db *db;

	assert_int_equal(
		eds_db_open(&eds_db_postgres, url, true, start_ms + timeout_ms, &db, &reason),
		EDS_DB_UNAVAILABLE);
	assert_null(db);
	assert_in_range(rt_monotonic_ms() - start_ms, 0, SOON_MS);
	/* users see the reason, so it must name no host, user or password */
	assert_null(strstr(reason, "127"));
	assert_null(strstr(reason, "secret"));
	assert_null(strstr(reason, "nobody"));
	return reason;
}

static void a_missing_server_is_reported_at_once(void **state)
{
	(void)state;
	assert_out_of_reach("postgresql://nobody:secret@127.0.0.1:1/eds", EVENT_MS);
}

/* A socket on loopback that looks like a server, and its URL. */
static int listen_as_server(char url[URL_MAX], const char *parameters)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(listener, 4), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	snprintf(url, URL_MAX, "postgresql://nobody:secret@127.0.0.1:%d/eds%s",
		ntohs(address.sin_port), parameters);
	return listener;
}

static void a_server_that_never_greets_is_given_up_by_the_deadline(void **state)
{
	char url[URL_MAX];
	int listener = listen_as_server(url, "");

	(void)state;
	assert_out_of_reach(url, SHORT_MS);
	close(listener);
}

struct plain_server {
	int listener;
	size_t received; /* number of octets that came after the refusal of TLS */
};

/* Answers the request for TLS (8 octets) with N, "not offered", and counts the octets that
 * follow. */
static void *refuse_tls(void *arg)
{
	struct plain_server *plain = arg;
	char bytes[512];
	ssize_t got;
	int client = accept(plain->listener, NULL, NULL);

	if (recv(client, bytes, 8, MSG_WAITALL) == 8 && send(client, "N", 1, MSG_NOSIGNAL) == 1)
		while ((got = recv(client, bytes, sizeof bytes, 0)) > 0)
			plain->received += (size_t)got;
	close(client);
	return NULL;
}

static void nothing_is_sent_without_the_tls_that_the_url_demands(void **state)
{
	char url[URL_MAX];
	struct plain_server plain = {.listener = listen_as_server(url, "?sslmode=require")};
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, refuse_tls, &plain), 0);
	assert_out_of_reach(url, EVENT_MS);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(plain.received, 0);
	close(plain.listener);
}

static void a_malformed_url_is_reported_without_its_secrets(void **state)
{
	(void)state;
	assert_out_of_reach("postgresql://nobody:secret@127.0.0.1:port/eds?x=y", EVENT_MS);
}

static void a_missing_database_is_reported_without_its_name(void **state)
{
	char url[PATH_MAX_BYTES + 32];

	(void)state;
	snprintf(url, sizeof url, "%s&dbname=nobody", database_url);
	assert_string_equal(assert_out_of_reach(url, EVENT_MS),
		"the database server has no database of that name");
}

/* Runs the statement of the format, whose only argument, "%1$s", is the name of a user that no
 * other test has. */
static void sql_about_user(const char *format)
{
	char text[SQL_MAX_BYTES];

	snprintf(text, sizeof text, format, schema);
	sql(text);
}

static const char *url_of_user(char url[USER_URL_MAX])
{
	snprintf(url, USER_URL_MAX, "%s&user=%s", database_url, schema);
	return url;
}

static void a_user_that_the_server_does_not_let_in_is_told_why(void **state)
{
	char url[USER_URL_MAX];

	(void)state;
	assert_string_equal(assert_out_of_reach(url_of_user(url), EVENT_MS),
		"the database server refuses this user, or this user from this address "
		"(pg_hba.conf)");
	sql_about_user("CREATE ROLE %1$s LOGIN CONNECTION LIMIT 0");
	assert_string_equal(assert_out_of_reach(url, EVENT_MS),
		"the database server has no connection left for this user");
	sql_about_user("DROP ROLE %1$s");
}

/* The tables of a restored database may belong to the user that restored it. */
static void a_user_without_permission_for_the_tables_is_told_so(void **state)
{
	char url[USER_URL_MAX];
	struct eds_schema_state steps;
	const char *reason;
	struct eds_db *db;

	(void)state;
	next_event(EVENT_MS);
	open_store();
	sql_about_user("CREATE ROLE %1$s LOGIN");
	sql_about_user("GRANT USAGE ON SCHEMA %1$s TO %1$s");
	assert_int_equal(eds_db_open(&eds_db_postgres, url_of_user(url), false,
				 rt_monotonic_ms() + EVENT_MS, &db, &reason),
		EDS_DB_OK);
	assert_int_equal(eds_schema_state_read(db, &steps), EDS_DB_UNAVAILABLE);
	assert_string_equal(
		db->reason, "the user has no permission for the tables or their schema");
	eds_db_close(db);
	sql_about_user("REVOKE USAGE ON SCHEMA %1$s FROM %1$s");
	sql_about_user("DROP ROLE %1$s");
}

/* PostgreSQL does not tell whether the schema is missing or the user has no permission for it. */
static void a_user_without_the_schema_is_told_so(void **state)
{
	static const struct eds_db_statement create = {"create", "CREATE TABLE things (id TEXT)"};
	char url[USER_URL_MAX];
	const char *reason;
	struct eds_db *db;

	(void)state;
	sql_about_user("CREATE ROLE %1$s LOGIN");
	assert_int_equal(eds_db_open(&eds_db_postgres, url_of_user(url), false,
				 rt_monotonic_ms() + EVENT_MS, &db, &reason),
		EDS_DB_OK);
	assert_int_equal(eds_db_execute(db, &create, EDS_DB_NO_VALUES, NULL), EDS_DB_UNAVAILABLE);
	assert_string_equal(db->reason,
		"the schema of the tables does not exist, or the user has no permission for it");
	eds_db_close(db);
	sql_about_user("DROP ROLE %1$s");
}

/* The state comes from a block of code: a server that ends a connection also closes it, and this
 * counts as a lost connection. */
static void a_statement_that_the_server_ends_is_told_so(void **state)
{
	static const struct eds_db_statement end = {
		"end", "DO $$BEGIN RAISE EXCEPTION 'end' USING ERRCODE = '57P01'; END$$"};
	const char *reason;
	struct eds_db *db;

	(void)state;
	assert_int_equal(eds_db_open(&eds_db_postgres, database_url, false,
				 rt_monotonic_ms() + EVENT_MS, &db, &reason),
		EDS_DB_OK);
	assert_int_equal(eds_db_execute(db, &end, EDS_DB_NO_VALUES, NULL), EDS_DB_UNAVAILABLE);
	assert_string_equal(db->reason,
		"the database server is stopping or starting, or has ended the connection");
	eds_db_close(db);
}

#define SERVER_TEST(name) cmocka_unit_test_setup(name, empty_database)

int main(void)
{
	const struct CMUnitTest without_server[] = {
		cmocka_unit_test(a_missing_server_is_reported_at_once),
		cmocka_unit_test(a_server_that_never_greets_is_given_up_by_the_deadline),
		cmocka_unit_test(nothing_is_sent_without_the_tls_that_the_url_demands),
		cmocka_unit_test(a_malformed_url_is_reported_without_its_secrets),
	};
	const struct CMUnitTest with_server[] = {
		SERVER_TEST(a_missing_database_is_reported_without_its_name),
		SERVER_TEST(a_user_that_the_server_does_not_let_in_is_told_why),
		SERVER_TEST(a_user_without_permission_for_the_tables_is_told_so),
		SERVER_TEST(a_user_without_the_schema_is_told_so),
		SERVER_TEST(a_statement_that_the_server_ends_is_told_so),
	};

	if (getenv("EDS_TEST_DATABASE_URL") == NULL)
		return cmocka_run_group_tests(without_server, choose_database, remove_folder);
	return cmocka_run_group_tests(with_server, choose_database, remove_folder);
}

/* Schema: tester sessions and the messages they received. */
#include "functions/lib/store/schema/schema.h"
#include <stddef.h>

const char *const EDS_SCHEMA_TESTER[] = {
	"CREATE TABLE IF NOT EXISTS tester_sessions ( test_id TEXT PRIMARY KEY,"
	" client TEXT NOT NULL," /* who made it, for counting */
	" created_at_ms BIGINT NOT NULL, expires_at_ms BIGINT NOT NULL,"
	" reanalyze_from_ms BIGINT NOT NULL DEFAULT 0)", /* not before */

	"CREATE INDEX IF NOT EXISTS tester_sessions_by_client ON tester_sessions "
	"(client, created_at_ms)",

	"CREATE INDEX IF NOT EXISTS tester_sessions_by_expiry ON tester_sessions "
	"(expires_at_ms)",

	"CREATE TABLE IF NOT EXISTS tester_messages ( test_id TEXT NOT NULL REFERENCES "
	"tester_sessions (test_id),"
	" message_id TEXT NOT NULL," /* in the mail store; one message may serve several
					sessions */
	" received_at_ms BIGINT NOT NULL,"
	" client_ip TEXT," /* the envelope, NULL where the receiver did not say */
	" helo TEXT, mail_from TEXT, tls TEXT,"
	" result TEXT NOT NULL," /* JSON object */
	" PRIMARY KEY (test_id, message_id))",

	"CREATE INDEX IF NOT EXISTS tester_messages_by_time ON tester_messages (test_id, "
	"received_at_ms, message_id)",

	"CREATE INDEX IF NOT EXISTS tester_messages_by_message ON tester_messages "
	"(message_id)",
	NULL,
};

const char *const EDS_SCHEMA_REANALYSIS[] = {
	"CREATE TABLE IF NOT EXISTS reanalysis_clients ( client TEXT PRIMARY KEY,"
	" used_until_ms BIGINT NOT NULL)", /* an hour ahead: its share is used up */

	"CREATE INDEX IF NOT EXISTS reanalysis_clients_by_time ON reanalysis_clients "
	"(used_until_ms)",
	NULL,
};

const char *const EDS_SCHEMA_STORED_MAIL[] = {
	/* messages of sessions whose bytes are in the mail store, and what room they take */
	"CREATE TABLE IF NOT EXISTS stored_mail ( message_id TEXT PRIMARY KEY,"
	" own TEXT NOT NULL," /* the client's network: an IPv4 address, an IPv6 /64 */
	" site TEXT,"         /* the /48 around it */
	" octets BIGINT NOT NULL, kept_until_ms BIGINT NOT NULL)", /* at most */

	"CREATE INDEX IF NOT EXISTS stored_mail_by_time ON stored_mail (kept_until_ms)",

	/* the sums of them by network, "" for all, in parts that are written beside one another */
	"CREATE TABLE IF NOT EXISTS stored_mail_sums ( network TEXT NOT NULL, part BIGINT NOT "
	"NULL, octets BIGINT NOT NULL, PRIMARY KEY (network, part))",
	NULL,
};

const char *const EDS_SCHEMA_UPLOADS[] = {
	/* Messages that came over HTTP. No foreign key: programs of the release before delete
	 * sessions without knowing of this table. */
	"CREATE TABLE IF NOT EXISTS tester_uploads ( message_id TEXT PRIMARY KEY,"
	" test_id TEXT NOT NULL,"
	" client TEXT NOT NULL," /* who sent it, for counting */
	" received_at_ms BIGINT NOT NULL,"
	" client_ip TEXT NOT NULL, helo TEXT NOT NULL," /* as the client said, '' when not */
	" mail_from TEXT NOT NULL,"
	" tries BIGINT NOT NULL DEFAULT 0,"
	" due_at_ms BIGINT NOT NULL)", /* to be analysed then; 0: it has been */

	"CREATE INDEX IF NOT EXISTS tester_uploads_by_session ON tester_uploads "
	"(test_id, due_at_ms)",

	"CREATE INDEX IF NOT EXISTS tester_uploads_by_client ON tester_uploads "
	"(client, received_at_ms)",

	"CREATE INDEX IF NOT EXISTS tester_uploads_by_due ON tester_uploads "
	"(due_at_ms, message_id)",

	"CREATE INDEX IF NOT EXISTS tester_uploads_by_time ON tester_uploads "
	"(received_at_ms)",
	NULL,
};

const char *const EDS_SCHEMA_CLIENT_SLOTS[] = {
	/* Rows to be locked and nothing else: who counts a client's sessions and adds one holds the
	 * client's (session-create.c). */
	"CREATE TABLE IF NOT EXISTS tester_client_slots ( slot BIGINT PRIMARY KEY)",

	"INSERT INTO tester_client_slots WITH RECURSIVE n (slot) AS (SELECT CAST(0 AS BIGINT) "
	"UNION ALL SELECT slot + 1 FROM n WHERE slot < 1023) SELECT slot FROM n WHERE true"
	" ON CONFLICT DO NOTHING",
	NULL,
};

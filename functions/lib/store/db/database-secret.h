/* The database address in a secret. The secret is an address itself,
 *
 *     postgresql://eds:geheim@db.example/eds?sslmode=verify-full
 *
 * or JSON with an address as one of its members, or JSON as RDS keeps and rotates it:
 *
 *     {"username": "eds", "password": "geheim", "host": "db.example", "port": 5432,
 *      "dbname": "eds"}
 *
 * The last three members may be missing. Secrets that RDS itself creates have only the first two.
 */
#ifndef EDS_STORE_DATABASE_SECRET_H
#define EDS_STORE_DATABASE_SECRET_H

#include "runtime/ctx.h"

/* True for postgresql://… and postgres://…. */
bool eds_database_is_address(const char *text);

/* Extracts the address from a secret's text, in the event's memory. `which` is the suffix of the
 * secret's name in EDS_DATABASE_URL: "" for an address or RDS's JSON; "#MEMBER" for a member that
 * is an address; "?PARAMETERS" for RDS's JSON, completed by parameters as in the query of an
 * address ("host=db.example&dbname=eds"). In RDS's JSON, user name and password must be present.
 * Another value that is neither in this JSON nor in the parameters comes from libpq's environment
 * variables, such as PGHOST; then the default of sslmode is verify-full, that of sslrootcert
 * EDS_CA_FILE. RT_TEMPORARY "store-unavailable" when the text has none of these forms. */
RT_MUST_USE rt_status eds_database_secret_url(
	struct rt_ctx *ctx, const char *text, const char *which, const char **url);

#endif

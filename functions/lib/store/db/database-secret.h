/* What a secret says of the database. It is an address itself,
 *
 *     postgresql://eds:geheim@db.example/eds?sslmode=verify-full
 *
 * or JSON with an address as one of its members, or JSON as RDS keeps and rotates it:
 *
 *     {"username": "eds", "password": "geheim", "host": "db.example", "port": 5432, "dbname":
 * "eds"}
 *
 * of which the last three may be missing. RDS's own secrets have the first two alone.
 */
#ifndef EDS_STORE_DATABASE_SECRET_H
#define EDS_STORE_DATABASE_SECRET_H

#include "runtime/ctx.h"

/* postgresql://… or postgres://… */
bool eds_database_is_address(const char *text);

/* The address out of a secret's text, in the event's memory. which stands behind the secret's name:
 * "" for an address or JSON as of RDS; "#MEMBER" for a member that is an address; "?PARAMETERS" for
 * JSON as of RDS, with what it lacks as in the query of an address ("host=db.example&dbname=eds").
 * What neither says comes from PGHOST and the other variables of libpq; sslmode is verify-full and
 * sslrootcert EDS_CA_FILE where none of these says otherwise. RT_TEMPORARY "store-unavailable" when
 * it is nothing of that. */
RT_MUST_USE rt_status eds_database_secret_url(
	struct rt_ctx *ctx, const char *text, const char *which, const char **url);

#endif

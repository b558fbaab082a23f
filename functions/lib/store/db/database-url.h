/* The address of the database. EDS_DATABASE_URL contains it, or says where to find it:
 *
 *     sqlite:PATH
 *     postgresql://USER:PASSWORD@HOST/NAME
 *     file:PATH                          the first line of the file is the address
 *     secretsmanager:ARN                 an AWS secret is the address (database-secret.h)
 *     secretsmanager:ARN#MEMBER          a member of the secret is the address
 *     secretsmanager:ARN?PARAMETERS      the secret has user name and password, PARAMETERS the rest
 *
 * A file is read for each connection. A secret is read once per process, and again when the
 * database refuses its password (at most every EDS_SECRET_REFUSED_MS) or cannot be reached at its
 * address (at most every EDS_SECRET_UNREACHED_MS).
 */
#ifndef EDS_STORE_DATABASE_URL_H
#define EDS_STORE_DATABASE_URL_H

#include "runtime/ctx.h"

enum {
	EDS_DATABASE_URL_MAX = 4096,
	EDS_SECRET_REFUSED_MS = 3000,
	EDS_SECRET_UNREACHED_MS = 60000,
};

/* The address for a new connection. RT_TEMPORARY "store-unavailable" when the file or secret cannot
 * be read, or its text is not an address. The sentence of the failure never contains this text,
 * which may hold a password. */
RT_MUST_USE rt_status eds_database_url(struct rt_ctx *ctx, const char **url);

/* To be called when the server at this address could not be reached or, with `refused` true, when
 * the server refused the user and password. Returns a different address if one can be read by
 * until_ms, to be freed by the caller; otherwise NULL. */
char *eds_database_url_failed(const char *url, bool refused, int64_t until_ms);

#endif

/* The address of the database, which EDS_DATABASE_URL holds itself or says where to find:
 *
 *     sqlite:PATH
 *     postgresql://USER:PASSWORD@HOST/NAME
 *     file:PATH                          the first line of a file is such an address
 *     secretsmanager:ARN                 a secret of AWS is (database-secret.h)
 *     secretsmanager:ARN#MEMBER          a member of it is
 *     secretsmanager:ARN?PARAMETERS      it has user name and password, PARAMETERS the rest
 *
 * A file is read for each connection. A secret is read once for a process, and again when the
 * database refuses what it said, at most every EDS_SECRET_REFUSED_MS, or cannot be reached by it,
 * at most every EDS_SECRET_UNREACHED_MS.
 */
#ifndef EDS_STORE_DATABASE_URL_H
#define EDS_STORE_DATABASE_URL_H

#include "runtime/ctx.h"

enum {
	EDS_DATABASE_URL_MAX = 4096,
	EDS_SECRET_REFUSED_MS = 3000,
	EDS_SECRET_UNREACHED_MS = 60000,
};

/* The address for a new connection. RT_TEMPORARY "store-unavailable" when it cannot be read, or
 * when what was read is none. No failure shows what was read. */
RT_MUST_USE rt_status eds_database_url(struct rt_ctx *ctx, const char **url);

/* No connection could be made by this address, or, refused, not with its user and password: another
 * address that is there by now, to be freed, or NULL when there is none. */
char *eds_database_url_failed(const char *url, bool refused, int64_t until_ms);

#endif

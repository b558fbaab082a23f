#ifndef EDS_STORE_SCHEMA_H
#define EDS_STORE_SCHEMA_H

/* The schema's steps, in the order of their versions (migrations.c): each is a list of statements
 * that ends with NULL.
 *
 * A step that has been released is never edited, only followed by another. The statements are
 * shared by SQLite and PostgreSQL and may be repeated (IF NOT EXISTS), for clusters whose
 * transactions do not cover DDL. Times are epoch milliseconds, 0 for never. Keys begin with random
 * text, so that a cluster spreads them.
 */
extern const char *const EDS_SCHEMA_TESTER[];
extern const char *const EDS_SCHEMA_DOMAINS[];
extern const char *const EDS_SCHEMA_MTA_STS[];
extern const char *const EDS_SCHEMA_REPORTS[];

#endif

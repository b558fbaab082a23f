/* The columns that a statement gives, each named once.
 *
 * A list of columns makes both the SQL and the names by which a row is read, so that a column that
 * is added shifts no other:
 *
 *     #define DOMAIN_COLUMNS(FIRST, NEXT) \
 *             FIRST(DOMAIN_ID, "d.id") \
 *             NEXT(DOMAIN_PLAN, "a.plan")
 *     enum { EDS_DB_NAMES(DOMAIN_COLUMNS) };              DOMAIN_ID, DOMAIN_PLAN
 *
 *     "SELECT " EDS_DB_LIST(DOMAIN_COLUMNS) " FROM …"     "SELECT d.id, a.plan FROM …"
 *
 *     domain->id = eds_db_text(ctx, query, DOMAIN_ID);
 *
 * FIRST and NEXT stand for what the list is made into; FIRST alone has no comma before it. A
 * statement that gives one column needs no list: it is read as EDS_DB_ONLY. Where a statement gives
 * the columns of two lists, those of the second are read behind the count of the first:
 *
 *     enum { EDS_DB_NAMES(DOMAIN_COLUMNS) DOMAIN_COLUMN_COUNT };
 *     state = eds_db_text(ctx, query, DOMAIN_COLUMN_COUNT + POSTURE_STATE);
 *
 * check-layout refuses a column that is read by a number.
 */
#ifndef EDS_STORE_COLUMNS_H
#define EDS_STORE_COLUMNS_H

enum {
	EDS_DB_ONLY = 0, /* the column of a statement that gives one */
};

#define EDS_DB_NAMES(COLUMNS) COLUMNS(EDS_DB_COLUMN_NAME, EDS_DB_COLUMN_NAME)
#define EDS_DB_LIST(COLUMNS) COLUMNS(EDS_DB_COLUMN_SQL, EDS_DB_COLUMN_NEXT_SQL)

#define EDS_DB_COLUMN_NAME(name, sql) name,
#define EDS_DB_COLUMN_SQL(name, sql) sql
#define EDS_DB_COLUMN_NEXT_SQL(name, sql) ", " sql

#endif

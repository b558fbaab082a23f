/* The columns of a statement's result, each named once.
 *
 * One list of columns produces both the SQL and the names for reading a row, so an added column
 * does not shift the others:
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
 * FIRST and NEXT are the macros applied to each column; in the SQL, NEXT puts a comma before its
 * column, and FIRST does not. A statement with one column needs no list: the column is read as
 * EDS_DB_ONLY. When a statement gives the columns of two lists, the names of the second list are
 * offset by the number of columns of the first:
 *
 *     enum { EDS_DB_NAMES(DOMAIN_COLUMNS) DOMAIN_COLUMN_COUNT };
 *     state = eds_db_text(ctx, query, DOMAIN_COLUMN_COUNT + POSTURE_STATE);
 *
 * check-layout rejects code that reads a column by a number.
 */
#ifndef EDS_STORE_COLUMNS_H
#define EDS_STORE_COLUMNS_H

enum {
	EDS_DB_ONLY = 0, /* number of the only column of a statement */
};

#define EDS_DB_NAMES(COLUMNS) COLUMNS(EDS_DB_COLUMN_NAME, EDS_DB_COLUMN_NAME)
#define EDS_DB_LIST(COLUMNS) COLUMNS(EDS_DB_COLUMN_SQL, EDS_DB_COLUMN_NEXT_SQL)

#define EDS_DB_COLUMN_NAME(name, sql) name,
#define EDS_DB_COLUMN_SQL(name, sql) sql
#define EDS_DB_COLUMN_NEXT_SQL(name, sql) ", " sql

#endif

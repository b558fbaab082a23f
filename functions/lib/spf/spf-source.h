/* Reads the record of a domain and rewrites it for libspf2. */
#ifndef EDS_SPF_SOURCE_H
#define EDS_SPF_SOURCE_H

#include "functions/lib/spf/spf-check.h"

/* Reads the record of a domain; NULL when the check has ended, for example because the domain has
 * no record. */
const struct eds_spf_source *eds_spf_read_source(struct eds_spf_check *check, const char *domain,
	enum eds_spf_via via, const struct eds_spf_source *parent);

/* The text of the record as libspf2 gets it (spf-source.c says what differs). */
const char *eds_spf_rewrite(struct eds_spf_check *check, const struct eds_spf_source *source);

/* Adds a question and writes its private name to `alias`. */
void eds_spf_question_add(struct eds_spf_check *check, const struct eds_spf_question *question,
	char alias[EDS_SPF_ALIAS_MAX]);

/* Finds the question of a private name; NULL for any other name. */
const struct eds_spf_question *eds_spf_question_find(
	const struct eds_spf_check *check, const char *alias);

#endif

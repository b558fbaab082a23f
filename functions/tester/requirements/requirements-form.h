/* What is demanded of the message's own octets. */
#ifndef TESTER_REQUIREMENTS_FORM_H
#define TESTER_REQUIREMENTS_FORM_H

#include "functions/tester/analysis.h"

/* A fault that Gmail refuses mail for: a doubled field, From with several mailboxes or none. */
bool form_is_refused(const struct analysis *analysis);

struct demand requirements_form(struct rt_ctx *ctx, const struct analysis *analysis);

/* RFC 8058 whole; and what Microsoft asks for, any way to unsubscribe that works. */
struct demand requirements_one_click(const struct analysis *analysis);
struct demand requirements_any_way(const struct analysis *analysis);

#endif

/* Demands on the message's own octets. */
#ifndef TESTER_REQUIREMENTS_FORM_H
#define TESTER_REQUIREMENTS_FORM_H

#include "functions/tester/analysis.h"

/* The providers that refuse the message for its form, "Gmail and Yahoo" for a doubled field or a
 * From with several mailboxes or none, "Gmail" when it only lacks a Message-ID; NULL for none. */
const char *form_refusers(const struct analysis *analysis);

/* True when Gmail and Yahoo refuse it, whatever its Message-ID. */
bool form_is_refused_by_all(const struct analysis *analysis);

struct demand requirements_form(struct rt_ctx *ctx, const struct analysis *analysis);
/* The same without a missing Message-ID or Date, which have advice of their own. */
struct demand requirements_form_besides(struct rt_ctx *ctx, const struct analysis *analysis);

/* True when Message-ID or Date is missing in a message that a program wrote and no mail server has
 * taken: a submission server may still add them. */
bool form_waits_for_server(const struct analysis *analysis);

/* One-click unsubscription with all parts of RFC 8058. */
struct demand requirements_one_click(const struct analysis *analysis);
/* And by a signature of the From domain, without which Gmail shows no button. */
struct demand requirements_button(const struct analysis *analysis);
/* Any URI in List-Unsubscribe, as Microsoft asks for; whether it works is not tried. */
struct demand requirements_any_way(const struct analysis *analysis);

#endif

/* Demands on the form of the message itself. */
#ifndef TESTER_REQUIREMENTS_FORM_H
#define TESTER_REQUIREMENTS_FORM_H

#include "functions/tester/analysis.h"

/* The providers that refuse the message for its form; NULL for none. "Gmail and Yahoo" when
 * form_is_refused_by_all(). Else "Gmail" when a mail server has taken the message and Message-ID is
 * missing. */
const char *form_refusers(const struct analysis *analysis);

/* True when Gmail and Yahoo refuse the message for its form, without regard to its Message-ID: From
 * is missing, unreadable, has several mailboxes or an unquoted comma in a name, or a field of
 * form.doubled occurs twice. */
bool form_is_refused_by_all(const struct analysis *analysis);

/* The outcome of a demand on the header when the header was not read to its end: undecided. */
struct demand requirements_of_cut_header(const struct analysis *analysis);

/* Judges the form, with Message-ID and Date. */
struct demand requirements_form(struct rt_ctx *ctx, const struct analysis *analysis);
/* Judges the form without regard to a missing Message-ID or Date, which have advice of their own.
 */
struct demand requirements_form_besides(struct rt_ctx *ctx, const struct analysis *analysis);

/* True when Message-ID or Date is missing in a message that a program wrote and no mail server has
 * taken: a submission server may still add them. */
bool form_waits_for_server(const struct analysis *analysis);

/* Judges one-click unsubscription with all parts of RFC 8058. */
struct demand requirements_one_click(const struct analysis *analysis);
/* Judges one-click unsubscription, and whether the signature is of the From domain: Gmail shows the
 * button only then. */
struct demand requirements_button(const struct analysis *analysis);
/* Judges whether List-Unsubscribe has any URI, as Microsoft demands. The URI is not tried. */
struct demand requirements_any_way(const struct analysis *analysis);

#endif

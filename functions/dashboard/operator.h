/* Tells users who operates this instance: the page's title, the links at its foot, and security.txt
 * (RFC 9116). */
#ifndef DASHBOARD_OPERATOR_H
#define DASHBOARD_OPERATOR_H

#include "functions/dashboard/assets.h"
#include "runtime/event/handler.h"

/* True if the settings name a contact, an imprint, a privacy notice or another title than "eds". */
bool operator_changes_page(void);

/* The page with the title and the links of the settings, in ctx's memory; its length in *length. */
const char *operator_page(struct rt_ctx *ctx, const struct dashboard_asset *page, size_t *length);

/* The text of security.txt, valid for half a year; NULL when the settings name no contact. */
const char *operator_security_txt(struct rt_ctx *ctx);

#endif

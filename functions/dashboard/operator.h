/* Who operates this instance, for its users: the page's title, links at its foot, and security.txt
 * (RFC 9116). */
#ifndef DASHBOARD_OPERATOR_H
#define DASHBOARD_OPERATOR_H

#include "functions/dashboard/assets.h"
#include "runtime/event/handler.h"

/* Whether the settings name a title, a contact, an imprint or a privacy notice. */
bool operator_changes_page(void);

/* The page with that title and links to those; its length in *length. */
const char *operator_page(struct rt_ctx *ctx, const struct dashboard_asset *page, size_t *length);

/* security.txt, good for half a year: NULL where there is no contact. */
const char *operator_security_txt(struct rt_ctx *ctx);

#endif

/* Parts of a result: DMARC in detail, the message's form, TLS, unsubscription. */
#ifndef TESTER_REPORT_PARTS_H
#define TESTER_REPORT_PARTS_H

#include "functions/tester/analysis.h"

json_t *report_dmarc_json(struct rt_ctx *ctx, const struct analysis *analysis);
json_t *report_tls_json(struct rt_ctx *ctx, const struct eds_client *client);
json_t *report_form_json(struct rt_ctx *ctx, const struct analysis *analysis);
json_t *report_unsubscribe_json(struct rt_ctx *ctx, const struct unsubscribe_result *unsubscribe);

#endif

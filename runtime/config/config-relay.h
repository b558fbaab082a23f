/* Parses EDS_ALERT_RELAY and EDS_ALERT_FROM. */
#ifndef RT_CONFIG_RELAY_H
#define RT_CONFIG_RELAY_H

#include "runtime/config/config-form.h"

/* Parses a text like "smtp://127.0.0.1:25" or "smtps://user:password@mail.example.com". An empty
 * text means no relay. */
bool rt_relay_parse(const char *text, struct rt_relay *relay);

/* True for a mail address without quotes or comments, as it stands between the < > of a header
 * field. */
bool rt_config_is_address(const char *text);

#endif

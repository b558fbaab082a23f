/* EDS_ALERT_RELAY and EDS_ALERT_FROM. */
#ifndef RT_CONFIG_RELAY_H
#define RT_CONFIG_RELAY_H

#include "runtime/config/config-form.h"

/* "smtp://127.0.0.1:25", "smtps://user:password@mail.example.com". Empty text is none. */
bool rt_relay_parse(const char *text, struct rt_relay *relay);

/* An address without quotes or comment: what may stand between the < > of a header field. */
bool rt_config_is_address(const char *text);

#endif

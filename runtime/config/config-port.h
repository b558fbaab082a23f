/* Settings that are a port, or an address with one. Each reads text into the field and returns
 * NULL, or a description of valid values as in config-form.h. */
#ifndef RT_CONFIG_PORT_H
#define RT_CONFIG_PORT_H

#include <stdbool.h>

bool rt_config_is_endpoint(const char *text);

/* IP:PORT or [IP]:PORT; the field is a const char *. */
const char *rt_config_form_endpoint(const char *text, void *field);
const char *rt_config_form_endpoint_or_none(const char *text, void *field); /* "": none */

/* The field is an int. */
const char *rt_config_form_port(const char *text, void *field);
const char *rt_config_form_port_or_none(const char *text, void *field); /* 0: none */

#endif

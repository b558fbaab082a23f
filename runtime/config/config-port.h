/* Parsers of settings that are a port, or an address with a port. Each stores the value in the
 * field and returns NULL, or returns a description of valid values as in config-form.h. */
#ifndef RT_CONFIG_PORT_H
#define RT_CONFIG_PORT_H

#include <stdbool.h>

/* True for IP:PORT or [IP]:PORT. */
bool rt_config_is_endpoint(const char *text);

/* Accepts IP:PORT or [IP]:PORT; the field is a const char *. */
const char *rt_config_form_endpoint(const char *text, void *field);
/* Accepts IP:PORT, [IP]:PORT or "", which means none; the field is a const char *. */
const char *rt_config_form_endpoint_or_none(const char *text, void *field);

/* Accepts a port from 1 to 65535; the field is an int. */
const char *rt_config_form_port(const char *text, void *field);
/* Accepts a port or 0, which means none; the field is an int. */
const char *rt_config_form_port_or_none(const char *text, void *field);

#endif

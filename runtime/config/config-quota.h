/* Parses the values of EDS_QUOTA_… and EDS_TESTER_MAIL_QUOTA: name=number,… */
#ifndef RT_CONFIG_QUOTA_H
#define RT_CONFIG_QUOTA_H

#include "runtime/config/config-form.h"

/* Parses a text like "domains=10,checks=60", with members in any order. Members that are left out
 * keep their values in *quota. */
bool rt_quota_parse(const char *text, struct rt_quota *quota);

/* Parses a text like "network=256,all=4096", in MiB, and stores octets. Members that are left out
 * keep their values in *quota. */
bool rt_mail_quota_parse(const char *text, struct rt_mail_quota *quota);

#endif

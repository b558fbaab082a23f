/* The forms of EDS_QUOTA_… and EDS_TESTER_MAIL_QUOTA: name=number,… */
#ifndef RT_CONFIG_QUOTA_H
#define RT_CONFIG_QUOTA_H

#include "runtime/config/config-form.h"

/* "domains=10,checks=60": members in any order; members that are left out keep their values in
 * quota. */
bool rt_quota_parse(const char *text, struct rt_quota *quota);

/* "network=256,all=4096" in MiB, kept in octets; omitted members keep their values here too. */
bool rt_mail_quota_parse(const char *text, struct rt_mail_quota *quota);

#endif

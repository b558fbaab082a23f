/* The space that EDS_TESTER_MAIL_QUOTA allows for test mail. */
#ifndef EDS_MAIL_QUOTA_H
#define EDS_MAIL_QUOTA_H

#include "functions/lib/store/tester/stored-mail.h"

/* True when a further message of this many octets fits into the total quota and into the quotas of
 * the client's networks. */
bool eds_mail_quota_has_room(const struct eds_stored_mail *stored, size_t octets);

#endif

/* The room that EDS_TESTER_MAIL_QUOTA gives to test mail. */
#ifndef EDS_MAIL_QUOTA_H
#define EDS_MAIL_QUOTA_H

#include "functions/lib/store/tester/stored-mail.h"

/* Whether so many octets more are within it, of the networks whose mail this is and in all. */
bool eds_mail_quota_has_room(const struct eds_stored_mail *stored, size_t octets);

#endif

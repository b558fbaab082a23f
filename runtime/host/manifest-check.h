/* Checks that need the whole manifest. Internal to the manifest code. */
#ifndef HOST_MANIFEST_CHECK_H
#define HOST_MANIFEST_CHECK_H

#include "runtime/host/manifest.h"
#include "runtime/status.h"

/* Checks that no two routes answer the same requests, and that each function that another function
 * names exists in the manifest and has the right trigger. False, with a sentence in error, if not.
 */
bool manifest_check(const struct manifest *manifest, char error[MANIFEST_ERROR_MAX]);

#endif

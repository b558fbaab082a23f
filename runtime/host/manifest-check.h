/* Checks that need the whole manifest. Internal to the manifest code. */
#ifndef HOST_MANIFEST_CHECK_H
#define HOST_MANIFEST_CHECK_H

#include "runtime/host/manifest.h"
#include "runtime/status.h"

/* Checks that no two functions answer the same requests and that functions named by others exist.
 * False with a sentence in error. */
bool manifest_check(const struct manifest *manifest, char error[MANIFEST_ERROR_MAX]);

#endif

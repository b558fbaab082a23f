/* What can be said of a manifest only when all of it is read. Within the manifest only. */
#ifndef HOST_MANIFEST_CHECK_H
#define HOST_MANIFEST_CHECK_H

#include "runtime/host/manifest.h"
#include "runtime/status.h"

/* Whether no two functions answer the same requests, and those that functions name are there.
 * False with a sentence in error. */
bool manifest_check(const struct manifest *manifest, char error[MANIFEST_ERROR_MAX]);

#endif

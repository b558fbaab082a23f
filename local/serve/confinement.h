/* How what strangers send is read here: the helper programs of the functions prove it themselves
 * when the runner starts (`libexec/eds-verifier --prove`), as they do again for each function. */
#ifndef RUNNER_CONFINEMENT_H
#define RUNNER_CONFINEMENT_H

#include <stdbool.h>

#include "runtime/host/manifest.h"

/* *level: "filter", "limits" or, with EDS_SANDBOX=off, "off"; NULL when there are no such programs
 * beside the functions, or only those of a release before that says nothing of levels. False, with
 * a sentence on standard error, when none is proven. */
bool confinement_prove(const struct manifest *manifest, const char **level);

#endif

/* Finds out how strongly the programs that read untrusted mail and reports are confined on this
 * machine. eds-verifier and eds-report-reader prove their confinement when the runner starts
 * (`libexec/eds-verifier --prove=…`), and again whenever a function starts one of them; with
 * EDS_SANDBOX=off they do not. eds-validator proves nothing. */
#ifndef RUNNER_CONFINEMENT_H
#define RUNNER_CONFINEMENT_H

#include <stdbool.h>

#include "runtime/host/manifest.h"

/* Sets *level: "filter", "limits" or, with EDS_SANDBOX=off, "off"; NULL when no helper program can
 * be asked, or only those of an earlier release, which report no level. False, with a sentence on
 * standard error, when a helper program proves no level or cannot be started. Also logs a warning
 * for each program that cannot be executed: the functions of the manifest, and the helper programs
 * that they need. */
bool confinement_prove(const struct manifest *manifest, const char **level);

#endif

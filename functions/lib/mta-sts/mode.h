/* The mode of an MTA-STS policy (RFC 8461 section 3.2). */
#ifndef EDS_MTA_STS_MODE_H
#define EDS_MTA_STS_MODE_H

enum eds_policy_mode {
	EDS_POLICY_UNKNOWN, /* the mode is missing, or its name is unknown */
	EDS_POLICY_NONE,    /* the policy is withdrawn (section 8.3) */
	EDS_POLICY_TESTING,
	EDS_POLICY_ENFORCE,
};

const char *eds_policy_mode_name(enum eds_policy_mode mode); /* "none", "testing", "enforce"; NULL
							      * for EDS_POLICY_UNKNOWN */

/* The mode with this name; EDS_POLICY_UNKNOWN for any other text. */
enum eds_policy_mode eds_policy_mode_named(const char *name);

#endif

/* DMARC after RFC 9989: record, discovery by tree walk, alignment, the policy that applies.
 *
 *     _dmarc.example.com TXT "v=DMARC1; p=reject; sp=quarantine; rua=mailto:d@example.com"
 */
#ifndef EDS_DMARC_H
#define EDS_DMARC_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/mail/from.h"
#include "functions/lib/spf/spf.h"

enum {
	EDS_DMARC_WALK_MAX = 8, /* queries of one tree walk */
	EDS_DMARC_RECORD_MAX = 4096,
};

enum eds_dmarc_policy { EDS_DMARC_P_NONE, EDS_DMARC_P_QUARANTINE, EDS_DMARC_P_REJECT };
enum eds_dmarc_psd { EDS_DMARC_PSD_UNKNOWN, EDS_DMARC_PSD_YES, EDS_DMARC_PSD_NO };

struct eds_dmarc_record {
	enum eds_dmarc_policy p;
	enum eds_dmarc_policy sp; /* p when absent */
	enum eds_dmarc_policy np; /* sp when absent */
	bool has_sp;
	bool has_np;
	bool strict_dkim; /* adkim=s */
	bool strict_spf;  /* aspf=s */
	bool testing;     /* t=y */
	enum eds_dmarc_psd psd;
	bool has_rua;                 /* at least one valid URI */
	struct eds_findings warnings; /* unknown or invalid tags, pct, several rua … */
};

/* True for a usable DMARC record; false for text that is none or must be treated as none. */
bool eds_dmarc_record_parse(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_dmarc_record *record);

enum eds_dmarc_code {
	EDS_DMARC_NONE,
	EDS_DMARC_PASS,
	EDS_DMARC_FAIL,
	EDS_DMARC_TEMPERROR,
	EDS_DMARC_PERMERROR,
};

struct eds_dmarc_result {
	enum eds_dmarc_code code;
	bool has_record;
	enum eds_dmarc_policy policy; /* the one that applies (p, sp, np; t=y lowers it one step) */
	const char *record;           /* its text, "" */
	const char
		*record_domain; /* where it was found: "example.com" for _dmarc.example.com; "" */
	const char *org_domain; /* organisational domain of From; "" */
	const char *applied;    /* "p", "sp", "np"; "" */
	bool spf_aligned;       /* SPF passed and is aligned */
	bool dkim_aligned;      /* a valid signature is aligned */
	const char *reason;     /* a sentence */
	struct eds_findings warnings;
};

/* Asks ahead for every name the walk from this domain can need. */
void eds_dmarc_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

/* spf and dkim as verified; waits for DNS where the prefetch did not cover it. */
void eds_dmarc_evaluate(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_from *from,
	const struct eds_spf_result *spf, const struct eds_dkim_result *dkim,
	struct eds_dmarc_result *result);

const char *eds_dmarc_code_name(enum eds_dmarc_code code); /* "pass", … */
const char *eds_dmarc_policy_name(
	enum eds_dmarc_policy policy); /* "none", "quarantine", "reject" */

#endif

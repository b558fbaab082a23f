/* DMARC according to RFC 9989: record, discovery by tree walk, alignment, applicable policy.
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

enum eds_dmarc_tag { EDS_DMARC_TAG_NONE, EDS_DMARC_TAG_P, EDS_DMARC_TAG_SP, EDS_DMARC_TAG_NP };
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
	int percent; /* pct=, which RFC 9989 removed but many receivers still read; -1 absent */
	enum eds_dmarc_psd psd;
	bool has_rua;                 /* at least one valid URI */
	struct eds_findings warnings; /* unknown or invalid tags, pct, several rua … */
};

enum eds_dmarc_code {
	EDS_DMARC_NONE,
	EDS_DMARC_PASS,
	EDS_DMARC_FAIL,
	EDS_DMARC_TEMPERROR,
	EDS_DMARC_PERMERROR,
};

enum eds_dmarc_alignment {
	EDS_DMARC_UNALIGNED,
	EDS_DMARC_UNDECIDED, /* a lookup failed or a verification was impossible: it might be
				aligned */
	EDS_DMARC_ALIGNED,
};

/* One of the two mechanisms, with its domain to compare with that of From. */
struct eds_dmarc_identifier {
	const char *domain; /* MAIL FROM's or HELO's; d= of the best signature; "" for none */
	bool strict;        /* aspf= or adkim= requires equal domains */
	bool passed;        /* SPF passed, the signature is valid */
	enum eds_dmarc_alignment names; /* of the two domains, even if not passed */
	bool strict_alone;              /* passed, and would be aligned in relaxed mode */
};

struct eds_dmarc_result {
	enum eds_dmarc_code code;
	bool has_record;
	struct eds_dmarc_record tags;    /* of the record that applies */
	enum eds_dmarc_policy published; /* by the tag that applied, before t=y lowers it */
	bool lookup_failed;              /* of one of the records that might apply */
	bool no_such_domain; /* the From domain has no A, AAAA, MX: eds_dmarc_look_for_author() */
	struct eds_dmarc_identifier spf;
	struct eds_dmarc_identifier dkim;
	enum eds_dmarc_policy policy; /* the policy that applies (p, sp, np; after t=y) */
	const char *record;           /* its text; "" if none */
	const char *misspelt; /* without a record: one at the From domain that does not begin with
				 v=DMARC1; NULL for none */
	bool record_exact;    /* record equals the published one: no octet was replaced */
	const char
		*record_domain; /* where it was found: "example.com" for _dmarc.example.com; "" */
	const char *org_domain; /* organizational domain of From; "" */
	const char *suffix;     /* the From domain or one above it that psd=y makes a public suffix;
				   NULL for     none */
	const char *suffix_record; /* its record; NULL when an octet was replaced */
	enum eds_dmarc_tag applied;
	bool spf_aligned;   /* SPF passed and is aligned */
	bool dkim_aligned;  /* a valid signature is aligned */
	bool awaits_dns;    /* a lookup failed, and with its answer SPF or DKIM might be aligned,
			       or be aligned with another organizational domain */
	const char *reason; /* a sentence */
	struct eds_findings warnings;
};

/* The DMARC policy of a domain, found without a message. */
struct eds_dmarc_published {
	bool found;
	bool usable;        /* false: it has neither a valid policy nor a valid rua */
	const char *domain; /* where the record is: the domain itself or one above it */
	const char *text;   /* the record, printable */
	bool exact;         /* text equals the record in every octet */
	struct eds_dmarc_record tags;
	enum eds_dmarc_policy policy; /* for this domain: p or sp, before t=y lowers it */
	const char *org_domain;
	bool of_suffix;     /* the record is that of a public suffix above the domain (psd=y) */
	const char *failed; /* a domain whose lookup failed and whose record might apply; NULL for
			       none */
	const char
		*several; /* a domain with several records, which are all ignored; NULL if none */
};

enum {
	EDS_DMARC_DESTINATIONS_MAX = 10, /* of a tag; further ones are ignored */
};

/* One address of rua= or ruf=. */
struct eds_dmarc_destination {
	const char *address; /* "d@example.com", printable, without a size and a query */
	const char *domain;  /* normalized */
};

#endif

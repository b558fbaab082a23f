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
	EDS_DMARC_WALK_MAX = 8, /* maximum number of names that one tree walk asks DNS for */
	EDS_DMARC_RECORD_MAX = 4096,
};

enum eds_dmarc_tag { EDS_DMARC_TAG_NONE, EDS_DMARC_TAG_P, EDS_DMARC_TAG_SP, EDS_DMARC_TAG_NP };
enum eds_dmarc_policy { EDS_DMARC_P_NONE, EDS_DMARC_P_QUARANTINE, EDS_DMARC_P_REJECT };
enum eds_dmarc_psd { EDS_DMARC_PSD_UNKNOWN, EDS_DMARC_PSD_YES, EDS_DMARC_PSD_NO };

struct eds_dmarc_record {
	enum eds_dmarc_policy p;
	enum eds_dmarc_policy sp; /* policy of sp=; if sp= is absent, that of p= */
	enum eds_dmarc_policy np; /* policy of np=; if np= is absent, that of sp= */
	bool has_sp;
	bool has_np;
	bool strict_dkim; /* adkim=s */
	bool strict_spf;  /* aspf=s */
	bool testing;     /* t=y */
	int percent;      /* pct=, which RFC 9989 removed but many receivers still read; -1 when
			   * absent */
	enum eds_dmarc_psd psd;
	bool has_rua;                 /* rua= has at least one valid URI */
	struct eds_findings warnings; /* about tags that are unknown, invalid, missing or repeated,
				       * about doubtful report addresses, and about pct= */
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
	EDS_DMARC_UNDECIDED, /* the domain might be aligned: a lookup failed, a verification was
			      * impossible, or there is no record and one of the names lies below
			      * the other */
	EDS_DMARC_ALIGNED,
};

/* SPF or DKIM, with the domain that is compared with the From domain. */
struct eds_dmarc_identifier {
	const char *domain; /* SPF: the domain of MAIL FROM or HELO; DKIM: d= of the best signature;
			     * "" for none */
	bool strict;        /* aspf= or adkim= requires equal domains */
	bool passed;        /* SPF passed, or the signature is valid */
	/* alignment of the two domains, whether SPF or DKIM passed or not */
	enum eds_dmarc_alignment names;
	bool strict_alone; /* SPF or DKIM passed, and only strict mode keeps the domain from being
			    * aligned */
};

struct eds_dmarc_result {
	enum eds_dmarc_code code;
	bool has_record;
	struct eds_dmarc_record tags;    /* tags of the record that applies */
	enum eds_dmarc_policy published; /* the policy of the tag that applied, before t=y lowers
					  * it */
	bool lookup_failed;              /* a lookup of the walk from the From domain failed */
	bool no_such_domain;             /* the From domain does not exist; set by
					  * eds_dmarc_look_for_author() */
	struct eds_dmarc_identifier spf;
	struct eds_dmarc_identifier dkim;
	enum eds_dmarc_policy policy; /* the policy that applies (p, sp, np; after t=y) */
	const char *record;           /* text of the record that applies; "" if none */
	const char *misspelt; /* if no record applies: a record at the From domain that was meant
			       * for DMARC but does not begin as a DMARC record must; NULL for
			       * none */
	bool record_exact;    /* record equals the published one: no octet was replaced */
	const char *record_domain; /* domain of the record that applies: "example.com" for
				    * _dmarc.example.com; "" if none */
	const char *org_domain;    /* organizational domain of the From domain, or the From domain
				    * itself when the walk found no record; "" when there is not
				    * exactly one From domain */
	const char *suffix;        /* the From domain, or one above it, whose record has psd=y; NULL
				    * for none */
	const char *suffix_record; /* record of the suffix; NULL when an octet of it was replaced */
	enum eds_dmarc_tag applied;
	bool spf_aligned;  /* SPF passed and is aligned */
	bool dkim_aligned; /* a valid signature is aligned */
	/* A lookup failed, and its answer might have shown that SPF or DKIM is aligned, or that
	 * the organizational domain is not the one found. */
	bool awaits_dns;
	const char *reason; /* a sentence that explains the code */
	struct eds_findings warnings;
};

/* The DMARC policy of a domain, found without a message. */
struct eds_dmarc_published {
	bool found;
	bool usable;        /* the record has a valid policy or a valid rua */
	const char *domain; /* where the record is: the domain itself or one above it */
	const char *text;   /* the record, unprintable octets replaced */
	bool exact;         /* text equals the record in every octet */
	struct eds_dmarc_record tags;
	enum eds_dmarc_policy policy; /* the policy for this domain: p or sp, before t=y lowers
				       * it */
	const char *org_domain;
	bool of_suffix;     /* the record is that of a public suffix above the domain (psd=y) */
	const char *failed; /* a domain whose lookup failed and whose record might apply; NULL for
			       none */
	const char
		*several; /* a domain with several records, which are all ignored; NULL if none */
};

enum {
	EDS_DMARC_DESTINATIONS_MAX = 10, /* maximum number of addresses of one tag; further ones are
					  * ignored */
};

/* One address of rua= or ruf=. */
struct eds_dmarc_destination {
	const char *address; /* "d@example.com", printable, without size limit and query */
	const char *domain;  /* domain of the address, normalized */
};

#endif

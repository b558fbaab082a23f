/* Configuration: environment variables only, read once at the start.
 *
 * One table (config.c) names every setting with its default and its form; `make check` fails for a
 * setting that README.md does not name. A value of the wrong form stops the start with a sentence
 * on standard error.
 */
#ifndef RT_CONFIG_H
#define RT_CONFIG_H

#include "runtime/ip.h"

/* The start of an EDS_DATABASE_URL that names a secret of AWS Secrets Manager. */
#define RT_DATABASE_SECRET "secretsmanager:"

enum {
	RT_CIDRS_MAX = 64,
	RT_CONFIG_ERROR_MAX = 512,
	RT_EXIT_CONFIG = 78, /* EX_CONFIG of sysexits.h */
};

/* A DNS blocklist, from ZONE[=codes[,v6]]: "zen.example=2-11,30,v6". */
struct rt_dnsbl {
	/* the zone in lower case, without final dot; may hold a customer's key: never print it */
	const char *zone;
	/* codes[4] is true if the answer 127.0.0.4 means listed; by default codes[2] to codes[255]
	 * are true */
	bool codes[256];
	bool ipv6; /* IPv6 addresses are looked up in the list too */
};

/* A server that accepts the service's own mail, from smtp://[USER:PASSWORD@]HOST[:PORT] or
 * smtps://…. */
struct rt_relay {
	const char *url;   /* the URL, or "" for no relay; may hold a password: never print it */
	bool needs_no_tls; /* true for smtp:// to this machine, where mail is sent without TLS */
};

enum rt_dnsbl_kind {
	RT_DNSBL_COMBINED,
	RT_DNSBL_RELAY,
	RT_DNSBL_REPUTATION,
	RT_DNSBL_REPORTED,
	RT_DNSBL_KINDS
};

struct rt_cidr_list {
	struct rt_cidr items[RT_CIDRS_MAX];
	size_t count;
};

/* How child processes that read hostile bytes are confined. */
enum rt_sandbox {
	/* EDS_SANDBOX=required, the default: programs that read untrusted data are confined by the
	 * strongest means that is proven on this machine */
	RT_SANDBOX_REQUIRED,
	/* EDS_SANDBOX=filter: these programs are confined by a seccomp filter, and do not run
	 * without one */
	RT_SANDBOX_FILTER,
	/* EDS_SANDBOX=off: these programs are not confined, for sanitizers and valgrind */
	RT_SANDBOX_OFF,
	/* for tests only: these programs are confined without a filter, even if one is available */
	RT_SANDBOX_LIMITS,
};

/* The word for this mode: its value of EDS_SANDBOX, or "limits", which is no such value. */
const char *rt_sandbox_word(enum rt_sandbox sandbox);

/* Limits of an account, which depend on its plan (enum rt_quota_plan); 0: no limit. Parsed from
 * "domains=10,selectors=20,…". */
struct rt_quota {
	int domains;      /* domains of an account */
	int selectors;    /* registered selectors, per domain */
	int checks;       /* checks on request, per hour */
	int certificates; /* policy hosts that may get a certificate, per hour */
	int callbacks;    /* tests whose result is sent to a receiver, per hour */
	int uploads;      /* files with reports, per hour */
};

/* Disk space for test mail, octets; 0: no limit. Parsed from "network=256,all=4096", in MiB. */
struct rt_mail_quota {
	int64_t network; /* octets for an IPv4 address or an IPv6 /64; a /48 has twice as much */
	int64_t all;     /* octets for all test mail together */
};

enum rt_quota_plan { RT_QUOTA_FREE, RT_QUOTA_PAID, RT_QUOTA_PLANS };

struct rt_config {
	const char *base_url;         /* EDS_BASE_URL, no final slash */
	const char *title;            /* EDS_TITLE, needs no escaping in a page */
	const char *contact;          /* EDS_CONTACT, a mail address or a link, or "" */
	const char *imprint_url;      /* EDS_IMPRINT_URL, or "" */
	const char *privacy_url;      /* EDS_PRIVACY_URL, or "" */
	const char *tester_domain;    /* EDS_TESTER_DOMAIN, lower case */
	const char *report_domain;    /* EDS_REPORT_DOMAIN */
	const char *policy_host;      /* EDS_POLICY_HOST */
	const char *policy_authority; /* EDS_POLICY_AUTHORITY, as CAA records name it */
	const char *http_listen;      /* EDS_HTTP_LISTEN, IP:PORT or [IP]:PORT */
	const char *smtp_listen;      /* EDS_SMTP_LISTEN */
	const char *ops_listen;       /* EDS_OPS_LISTEN */
	/* EDS_METRICS_LISTEN, used by the bootstrap program; "" for none */
	const char *metrics_listen;
	const char *database_url;    /* EDS_DATABASE_URL; may name a secret that has the URL */
	int database_connections;    /* EDS_DATABASE_CONNECTIONS, per runner */
	const char *mail_store;      /* EDS_MAIL_STORE, file:PATH or s3://… */
	const char *dns_servers;     /* EDS_DNS_SERVERS, IP or IP:PORT, …; "" for the system's */
	const char *dnssec_anchors;  /* EDS_DNSSEC_ANCHORS, a file; "": the keys of the DNS root */
	const char *ca_file;         /* EDS_CA_FILE; "" for the system's bundle */
	const char *rspamd;          /* EDS_RSPAMD, no final slash; "" for none */
	struct rt_relay alert_relay; /* EDS_ALERT_RELAY */
	const char *alert_from;      /* EDS_ALERT_FROM; "": alerts@TESTER-DOMAIN */
	int sessions_per_hour;       /* EDS_TESTER_SESSIONS_PER_HOUR, 0 for no limit */
	size_t tester_message_max;   /* EDS_TESTER_MESSAGE_MAX, in octets */
	struct rt_mail_quota mail_quota; /* EDS_TESTER_MAIL_QUOTA */
	int log_level;                   /* EDS_LOG_LEVEL, an enum rt_log_level */
	enum rt_sandbox sandbox;         /* EDS_SANDBOX */
	bool allow_private;              /* EDS_ALLOW_PRIVATE_ADDRESSES, for tests */
	int policy_fetch_port;           /* EDS_POLICY_FETCH_PORT, for tests; default 443 */
	int starttls_port;               /* EDS_STARTTLS_PORT, for tests; default 25 */
	/* EDS_NAME_SERVER_PORT, default 53; 0: a domain's name servers are not asked */
	int name_server_port;
	int webhook_port;                      /* EDS_WEBHOOK_PORT, for tests; default 443 */
	struct rt_cidr_list trusted_proxies;   /* EDS_TRUSTED_PROXIES */
	struct rt_cidr_list trusted_relays;    /* EDS_TRUSTED_RELAYS */
	struct rt_cidr_list smtp_trusted;      /* EDS_SMTP_TRUSTED */
	struct rt_cidr_list blocked_networks;  /* EDS_BLOCKED_NETWORKS */
	struct rt_quota quota[RT_QUOTA_PLANS]; /* EDS_QUOTA_FREE, EDS_QUOTA_PAID */
	const char *asn_zone; /* EDS_ASN_ZONE: DNS zone that maps addresses to networks; "": off */
	struct rt_dnsbl dnsbl[RT_DNSBL_KINDS]; /* zone "": switched off (empty variable) */
};

/* Reads the environment. False, with a sentence in error, when a value has the wrong form. Strings
 * live as long as the process. */
bool rt_config_load(struct rt_config *config, char error[RT_CONFIG_ERROR_MAX]);

/* The process's configuration. Functions and the runner load the configuration when they start. If
 * it is not loaded yet, this function loads it with rt_config_require(). */
const struct rt_config *rt_config(void);

/* Loads the configuration for the process; on a wrong value prints the sentence and exits with
 * RT_EXIT_CONFIG. */
void rt_config_require(void);

#endif

/* Configuration: environment variables only, read once at the start.
 *
 * One table (config.c) names every variable with its default and its form; README's table is
 * checked against it. A value of the wrong form stops the start with a sentence on standard error.
 */
#ifndef RT_CONFIG_H
#define RT_CONFIG_H

#include "runtime/ip.h"

/* Beginning of an EDS_DATABASE_URL that names a secret of AWS Secrets Manager. */
#define RT_DATABASE_SECRET "secretsmanager:"

enum {
	RT_CIDRS_MAX = 64,
	RT_CONFIG_ERROR_MAX = 512,
	RT_EXIT_CONFIG = 78, /* EX_CONFIG of sysexits.h */
};

/* A DNS blocklist, from ZONE[=codes[,v6]]: "zen.example=2-11,30,v6". */
struct rt_dnsbl {
	const char *zone; /* lower case, no final dot; may hold a customer's key: never print it */
	bool codes[256];  /* codes[4]: the answer 127.0.0.4 means listed; default: 2 to 255 */
	bool ipv6;        /* the list may be asked for IPv6 addresses */
};

/* A server that accepts the service's own mail, from smtp://[USER:PASSWORD@]HOST[:PORT] or
 * smtps://…. */
struct rt_relay {
	const char *url;   /* may hold a password: never print it; "": no relay */
	bool needs_no_tls; /* smtp:// on this machine: mail goes there without TLS */
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

/* How children that read hostile bytes are confined. The first is the default. */
enum rt_sandbox {
	RT_SANDBOX_REQUIRED, /* EDS_SANDBOX=required, the default: the strongest proven here */
	RT_SANDBOX_FILTER,   /* filter: only with a seccomp filter, else refuse to run */
	RT_SANDBOX_OFF,      /* off: without confinement, for sanitizers and valgrind */
	RT_SANDBOX_LIMITS,   /* for tests only: without a filter even if available */
};

/* The value of EDS_SANDBOX for this mode. */
const char *rt_sandbox_word(enum rt_sandbox sandbox);

/* Limits of an account on a plan, 0 for no limit: "domains=10,selectors=20,…". */
struct rt_quota {
	int domains;      /* per account */
	int selectors;    /* registered, per domain */
	int checks;       /* on request, per hour */
	int certificates; /* policy hosts that may get one, per hour */
	int callbacks;    /* tests whose result is sent to a receiver, per hour */
	int uploads;      /* files with reports, per hour */
};

/* Disk space for test mail, octets, 0 for no limit: "network=256,all=4096" in MiB. */
struct rt_mail_quota {
	int64_t network; /* of an IPv4 address or an IPv6 /64; a /48 has twice as much */
	int64_t all;
};

enum rt_quota_plan { RT_QUOTA_FREE, RT_QUOTA_PAID, RT_QUOTA_PLANS };

struct rt_config {
	const char *base_url;                /* EDS_BASE_URL, no final slash */
	const char *title;                   /* EDS_TITLE, needs no escaping in a page */
	const char *contact;                 /* EDS_CONTACT, a mail address or a link, or "" */
	const char *imprint_url;             /* EDS_IMPRINT_URL, or "" */
	const char *privacy_url;             /* EDS_PRIVACY_URL, or "" */
	const char *tester_domain;           /* EDS_TESTER_DOMAIN, lower case */
	const char *report_domain;           /* EDS_REPORT_DOMAIN */
	const char *policy_host;             /* EDS_POLICY_HOST */
	const char *policy_authority;        /* EDS_POLICY_AUTHORITY, as CAA records name it */
	const char *http_listen;             /* EDS_HTTP_LISTEN, IP:PORT or [IP]:PORT */
	const char *smtp_listen;             /* EDS_SMTP_LISTEN */
	const char *ops_listen;              /* EDS_OPS_LISTEN */
	const char *metrics_listen;          /* EDS_METRICS_LISTEN, of bootstrap; "" for none */
	const char *database_url;            /* EDS_DATABASE_URL, or the name of its secret */
	int database_connections;            /* EDS_DATABASE_CONNECTIONS, per runner */
	const char *mail_store;              /* EDS_MAIL_STORE, file:PATH or s3://… */
	const char *dns_servers;             /* EDS_DNS_SERVERS, ip:port,…; "" for the system's */
	const char *dnssec_anchors;          /* EDS_DNSSEC_ANCHORS, a file; "" for the root's */
	const char *ca_file;                 /* EDS_CA_FILE; "" for the system's bundle */
	const char *rspamd;                  /* EDS_RSPAMD, no final slash; "" for none */
	struct rt_relay alert_relay;         /* EDS_ALERT_RELAY */
	const char *alert_from;              /* EDS_ALERT_FROM; "": alerts@ the tester's domain */
	int sessions_per_hour;               /* EDS_TESTER_SESSIONS_PER_HOUR, 0 for no limit */
	size_t tester_message_max;           /* EDS_TESTER_MESSAGE_MAX, in octets */
	struct rt_mail_quota mail_quota;     /* EDS_TESTER_MAIL_QUOTA */
	int log_level;                       /* EDS_LOG_LEVEL, an enum rt_log_level */
	enum rt_sandbox sandbox;             /* EDS_SANDBOX */
	bool allow_private;                  /* EDS_ALLOW_PRIVATE_ADDRESSES, for tests */
	int policy_fetch_port;               /* EDS_POLICY_FETCH_PORT, for tests; 443 */
	int starttls_port;                   /* EDS_STARTTLS_PORT, for tests; 25 */
	int name_server_port;                /* EDS_NAME_SERVER_PORT; 53, 0: none is asked itself */
	int webhook_port;                    /* EDS_WEBHOOK_PORT, for tests; 443 */
	struct rt_cidr_list trusted_proxies; /* EDS_TRUSTED_PROXIES */
	struct rt_cidr_list trusted_relays;  /* EDS_TRUSTED_RELAYS */
	struct rt_cidr_list smtp_trusted;    /* EDS_SMTP_TRUSTED */
	struct rt_cidr_list blocked_networks;  /* EDS_BLOCKED_NETWORKS */
	struct rt_quota quota[RT_QUOTA_PLANS]; /* EDS_QUOTA_FREE, EDS_QUOTA_PAID */
	const char *asn_zone; /* EDS_ASN_ZONE: DNS zone that maps addresses to networks; "": off */
	struct rt_dnsbl dnsbl[RT_DNSBL_KINDS]; /* zone "" when switched off (empty variable) */
};

/* Reads the environment. False with a sentence in error when a value has the wrong form. Strings
 * live as long as the process. */
bool rt_config_load(struct rt_config *config, char error[RT_CONFIG_ERROR_MAX]);

/* The process's configuration. The handler loop and the runner load it before anything else; an
 * earlier call loads it as rt_config_require() does. */
const struct rt_config *rt_config(void);

/* Loads the configuration for the process; on a wrong value prints the sentence and exits with
 * RT_EXIT_CONFIG. */
void rt_config_require(void);

#endif

/* Configuration: environment variables only, read once at the start.
 *
 * One table (config.c) names every variable with its default and its form; README's table is
 * checked against it. A value of the wrong form stops the start with a sentence.
 */
#ifndef RT_CONFIG_H
#define RT_CONFIG_H

#include "runtime/ip.h"

enum {
	RT_CIDRS_MAX = 64,
	RT_CONFIG_ERROR_MAX = 512,
	RT_EXIT_CONFIG = 78, /* EX_CONFIG of sysexits.h */
};

/* A DNS blocklist, from ZONE[=codes[,v6]]: "zen.example=2-11,30,v6". */
struct rt_dnsbl {
	const char *zone; /* lower case, no final dot; may contain a customer's key: never shown */
	bool codes[256];  /* codes[4]: the answer 127.0.0.4 means listed; without codes: 2 to 255 */
	bool ipv6;        /* IPv6 senders may be asked for */
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

struct rt_config {
	const char *base_url;                /* EDS_BASE_URL, no final slash */
	const char *tester_domain;           /* EDS_TESTER_DOMAIN, lower case */
	const char *report_domain;           /* EDS_REPORT_DOMAIN */
	const char *policy_host;             /* EDS_POLICY_HOST */
	const char *http_listen;             /* EDS_HTTP_LISTEN, IP:PORT or [IP]:PORT */
	const char *smtp_listen;             /* EDS_SMTP_LISTEN */
	const char *ops_listen;              /* EDS_OPS_LISTEN */
	const char *database_url;            /* EDS_DATABASE_URL, sqlite:PATH or postgresql://… */
	const char *mail_store;              /* EDS_MAIL_STORE, file:PATH or s3://… */
	const char *dns_servers;             /* EDS_DNS_SERVERS, ip:port,…; "" for the system's */
	const char *ca_file;                 /* EDS_CA_FILE; "" for the system's bundle */
	int sessions_per_hour;               /* EDS_TESTER_SESSIONS_PER_HOUR, 0 for no limit */
	int log_level;                       /* EDS_LOG_LEVEL, an enum rt_log_level */
	bool sandbox_required;               /* EDS_SANDBOX=required or off */
	bool allow_private;                  /* EDS_ALLOW_PRIVATE_ADDRESSES, for tests */
	int policy_fetch_port;               /* EDS_POLICY_FETCH_PORT, for tests; 443 */
	int starttls_port;                   /* EDS_STARTTLS_PORT, for tests; 25 */
	struct rt_cidr_list trusted_proxies; /* EDS_TRUSTED_PROXIES */
	struct rt_cidr_list trusted_relays;  /* EDS_TRUSTED_RELAYS */
	struct rt_cidr_list smtp_trusted;    /* EDS_SMTP_TRUSTED */
	struct rt_dnsbl dnsbl[RT_DNSBL_KINDS]; /* zone "" when switched off (empty variable) */
};

/* Reads the environment. False with a sentence in error when a value is of the wrong form. Strings
 * live as long as the process. */
bool rt_config_load(struct rt_config *config, char error[RT_CONFIG_ERROR_MAX]);

/* The process's configuration, loaded by the handler loop and the runner before anything else. */
const struct rt_config *rt_config(void);

/* Calls found with the name of each variable EDS_… of the environment that is none of ours,
 * probably misspelt. */
void rt_config_unknown(void (*found)(const char *name, size_t length));

/* Loads it for the process; on a wrong value prints the sentence and ends with RT_EXIT_CONFIG. */
void rt_config_require(void);

#endif

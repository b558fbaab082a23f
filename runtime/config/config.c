#include "runtime/config/config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/arena.h"
#include "runtime/aws/secret-parse.h"
#include "runtime/aws/secret.h"
#include "runtime/config/config-dnsbl.h"
#include "runtime/config/config-form.h"
#include "runtime/config/config-port.h"
#include "runtime/config/config-quota.h"
#include "runtime/config/config-relay.h"
#include "runtime/config/config-title.h"
#include "runtime/config/config-url.h"
#include "runtime/log.h"
#include "runtime/s3/location.h"

/* A parser for one kind of setting (config-form.h): stores the value in the field and returns NULL.
 * If the text has the wrong form, the parser returns a description of the right form. */
typedef const char *(*form_reader)(const char *text, void *field);

/* A text of a setting, which lives as long as the process; the list keeps it reachable, so that
 * leak checkers do not report it. */
struct kept {
	struct kept *next;
	char text[];
};

static struct kept *all_kept;

char *rt_config_keep(const char *text)
{
	size_t size = strlen(text) + 1;
	struct kept *kept = malloc(sizeof *kept + size);

	if (kept != NULL) {
		kept->next = all_kept;
		all_kept = kept;
		return memcpy(kept->text, text, size);
	}
	rt_out_of_memory();
}

static const char *form_file(const char *text, void *field)
{
	*(const char **)field = rt_config_keep(text);
	return text[0] == '\0' || access(text, R_OK) == 0 ? NULL : "the name of a readable file";
}

static bool host_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static const char *form_host(const char *text, void *field)
{
	char *name = rt_config_keep(text);
	size_t length = strlen(name);

	if (length > 0 && name[length - 1] == '.')
		name[--length] = '\0';
	*(const char **)field = name;
	for (char *c = name; *c != '\0'; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
		if (!host_character(*c) || (*c == '.' && (c == name || c[1] == '.')))
			return "a host name like test.example.com";
	}
	return length > 0 && length <= 253 ? NULL : "a host name like test.example.com";
}

/* Calls the function `each` for every element of a list that is separated by commas; skips empty
 * elements. The element is passed without the spaces around it. False if an element has a space
 * inside, or if a call returns false. */
static bool each_element(const char *text, bool (*each)(const char *element, void *arg), void *arg)
{
	char *rest = rt_config_keep(text);
	char *element;
	bool ok = true;

	while (ok && (element = strsep(&rest, ",")) != NULL) {
		size_t length;

		element += strspn(element, " ");
		length = strcspn(element, " ");
		ok = element[length + strspn(element + length, " ")] == '\0';
		element[length] = '\0';
		if (ok && length > 0)
			ok = each(element, arg);
	}
	return ok;
}

static bool is_server(const char *element, void *arg)
{
	struct rt_ip ip;

	(void)arg;
	return rt_config_is_endpoint(element) || rt_ip_parse(element, &ip);
}

static const char *form_servers(const char *text, void *field)
{
	*(const char **)field = rt_config_keep(text);
	return each_element(text, is_server, NULL)
		? NULL
		: "a list of resolvers like 127.0.0.1:53,[::1]:53";
}

static bool add_cidr(const char *element, void *arg)
{
	struct rt_cidr_list *list = arg;

	return list->count < RT_CIDRS_MAX && rt_cidr_parse(element, &list->items[list->count++]);
}

static const char *form_cidrs(const char *text, void *field)
{
	struct rt_cidr_list *list = field;

	list->count = 0;
	return each_element(text, add_cidr, list)
		? NULL
		: "a list of at most 64 addresses and ranges like 10.0.0.1,192.168.0.0/16";
}

/* True for secretsmanager:ARN, optionally followed by #MEMBER or ?PARAMETERS. */
static bool is_secret_name(const char *text)
{
	size_t arn;

	if (strncmp(text, RT_DATABASE_SECRET, strlen(RT_DATABASE_SECRET)) != 0)
		return false;
	text += strlen(RT_DATABASE_SECRET);
	arn = strcspn(text, "#?");
	for (const char *c = text + arn; *c != '\0'; c++)
		if (*c <= ' ' || *c >= 0x7f)
			return false;
	return aws_secret_arn_is_valid(text, arn) && (text[arn] == '\0' || text[arn + 1] != '\0');
}

static const char *form_database(const char *text, void *field)
{
	*(const char **)field = rt_config_keep(text);
	if ((strncmp(text, "sqlite:", 7) == 0 && text[7] != '\0') ||
		(strncmp(text, "file:", 5) == 0 && text[5] != '\0') ||
		strncmp(text, "postgresql://", 13) == 0 || strncmp(text, "postgres://", 11) == 0 ||
		is_secret_name(text))
		return NULL;
	return "sqlite:PATH, postgresql://USER@HOST/NAME, file:PATH or secretsmanager:ARN#MEMBER";
}

static const char *form_mail_store(const char *text, void *field)
{
	*(const char **)field = rt_config_keep(text);
	if ((strncmp(text, "file:", 5) == 0 && text[5] != '\0') || s3_location_is_valid(text))
		return NULL;
	return "file:FOLDER or s3://BUCKET/PREFIX";
}

static const char *form_count(const char *text, void *field)
{
	char *end;
	long value;

	if (text[0] < '0' || text[0] > '9')
		return "a whole number from 0 to 1000000";
	value = strtol(text, &end, 10);
	if (*end != '\0' || value > 1000000)
		return "a whole number from 0 to 1000000";
	*(int *)field = (int)value;
	return NULL;
}

static const char *form_connections(const char *text, void *field)
{
	const char *wrong = form_count(text, field);

	return wrong == NULL && *(int *)field >= 1 ? NULL : "a whole number from 1 to 1000000";
}

static const char *form_level(const char *text, void *field)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};

	for (int i = 0; i < 4; i++) {
		if (strcmp(text, names[i]) == 0) {
			*(int *)field = i;
			return NULL;
		}
	}
	return "error, warning, info or debug";
}

static const char *const sandbox_words[] = {[RT_SANDBOX_REQUIRED] = "required",
	[RT_SANDBOX_FILTER] = "filter",
	[RT_SANDBOX_OFF] = "off",
	[RT_SANDBOX_LIMITS] = "limits"};

const char *rt_sandbox_word(enum rt_sandbox sandbox)
{
	return sandbox_words[sandbox];
}

static const char *form_sandbox(const char *text, void *field)
{
	for (int i = RT_SANDBOX_REQUIRED; i <= RT_SANDBOX_OFF; i++) {
		if (strcmp(text, sandbox_words[i]) == 0) {
			*(enum rt_sandbox *)field = (enum rt_sandbox)i;
			return NULL;
		}
	}
	return "required, filter or off";
}

static const char *form_switch(const char *text, void *field)
{
	*(bool *)field = strcmp(text, "1") == 0;
	return text[0] == '\0' || strcmp(text, "0") == 0 || strcmp(text, "1") == 0 ? NULL
										   : "0 or 1";
}

static const char *form_dnsbl(const char *text, void *field)
{
	return rt_dnsbl_parse(text, field) ? NULL
					   : "ZONE, ZONE=CODES or ZONE=CODES,v6, with codes "
					     "like 2-11,30; or empty for no list";
}

static const char *form_zone(const char *text, void *field)
{
	const char *wanted = form_host(text, field);

	return text[0] == '\0' ? NULL : wanted;
}

static const char *form_quota(const char *text, void *field)
{
	return rt_quota_parse(text, field)
		? NULL
		: "a list like domains=10,selectors=20,checks=60,"
		  "certificates=10,callbacks=60, with numbers from 0 to 1000000";
}

static const char *form_mail_quota(const char *text, void *field)
{
	return rt_mail_quota_parse(text, field)
		? NULL
		: "a list like network=256,all=4096, in MiB from 0 to 1000000";
}

static const char *form_relay(const char *text, void *field)
{
	return rt_relay_parse(text, field) ? NULL
					   : "smtp://HOST:PORT or smtps://USER:PASSWORD@HOST, the "
					     "password percent-encoded; or empty for none";
}

static const char *form_address(const char *text, void *field)
{
	*(const char **)field = rt_config_keep(text);
	return text[0] == '\0' || rt_config_is_address(text)
		? NULL
		: "a mail address like alerts@example.com";
}

/* Parses EDS_TESTER_MESSAGE_MAX. Its maximum is that of the SMTP server (local/smtp/smtp-budget.h).
 */
static const char *form_message_max(const char *text, void *field)
{
	const char *wanted = "a number of MiB from 1 to 15";
	int mib;

	if (form_count(text, &mib) != NULL || mib < 1 || mib > 15)
		return wanted;
	*(size_t *)field = (size_t)mib * 1024 * 1024;
	return NULL;
}

static const struct {
	const char *name;
	const char *initial;
	form_reader read;
	size_t offset;
} settings[] = {
#define FIELD(name) offsetof(struct rt_config, name)
	{"EDS_BASE_URL", "http://127.0.0.1:8080", rt_form_origin, FIELD(base_url)},
	{"EDS_TITLE", "eds", rt_form_title, FIELD(title)},
	{"EDS_CONTACT", "", rt_form_contact, FIELD(contact)},
	{"EDS_IMPRINT_URL", "", rt_form_link, FIELD(imprint_url)},
	{"EDS_PRIVACY_URL", "", rt_form_link, FIELD(privacy_url)},
	{"EDS_TESTER_DOMAIN", "tester.localhost", form_host, FIELD(tester_domain)},
	{"EDS_REPORT_DOMAIN", "reports.localhost", form_host, FIELD(report_domain)},
	{"EDS_POLICY_HOST", "policy.localhost", form_host, FIELD(policy_host)},
	{"EDS_POLICY_AUTHORITY", "letsencrypt.org", form_host, FIELD(policy_authority)},
	{"EDS_HTTP_LISTEN", "127.0.0.1:8080", rt_config_form_endpoint, FIELD(http_listen)},
	{"EDS_SMTP_LISTEN", "127.0.0.1:2525", rt_config_form_endpoint, FIELD(smtp_listen)},
	{"EDS_OPS_LISTEN", "127.0.0.1:9090", rt_config_form_endpoint, FIELD(ops_listen)},
	{"EDS_METRICS_LISTEN", "", rt_config_form_endpoint_or_none, FIELD(metrics_listen)},
	{"EDS_DATABASE_URL", "sqlite:var/eds.db", form_database, FIELD(database_url)},
	{"EDS_DATABASE_CONNECTIONS", "64", form_connections, FIELD(database_connections)},
	{"EDS_MAIL_STORE", "file:var/mail", form_mail_store, FIELD(mail_store)},
	{"EDS_DNS_SERVERS", "", form_servers, FIELD(dns_servers)},
	{"EDS_DNSBL_COMBINED", "zen.spamhaus.org=2-11,30,v6", form_dnsbl,
		FIELD(dnsbl[RT_DNSBL_COMBINED])},
	{"EDS_DNSBL_RELAY", "psbl.surriel.com=2", form_dnsbl, FIELD(dnsbl[RT_DNSBL_RELAY])},
	{"EDS_DNSBL_REPUTATION", "bl.mailspike.net=2,10-12", form_dnsbl,
		FIELD(dnsbl[RT_DNSBL_REPUTATION])},
	{"EDS_DNSBL_REPORTED", "bl.spamcop.net=2", form_dnsbl, FIELD(dnsbl[RT_DNSBL_REPORTED])},
	{"EDS_ASN_ZONE", "", form_zone, FIELD(asn_zone)},
	{"EDS_DNSSEC_ANCHORS", "", form_file, FIELD(dnssec_anchors)},
	{"EDS_CA_FILE", "", form_file, FIELD(ca_file)},
	{"EDS_RSPAMD", "", rt_form_rspamd, FIELD(rspamd)},
	{"EDS_ALERT_RELAY", "", form_relay, FIELD(alert_relay)},
	{"EDS_ALERT_FROM", "", form_address, FIELD(alert_from)},
	{"EDS_TESTER_SESSIONS_PER_HOUR", "60", form_count, FIELD(sessions_per_hour)},
	{"EDS_TESTER_MESSAGE_MAX", "10", form_message_max, FIELD(tester_message_max)},
	{"EDS_TESTER_MAIL_QUOTA", "network=256,all=4096", form_mail_quota, FIELD(mail_quota)},
	{"EDS_QUOTA_FREE",
		"domains=10,selectors=20,checks=60,certificates=10,callbacks=60,uploads=100",
		form_quota, FIELD(quota[RT_QUOTA_FREE])},
	{"EDS_QUOTA_PAID",
		"domains=10000,selectors=100,checks=1000,certificates=100,callbacks=1000,uploads=1000",
		form_quota, FIELD(quota[RT_QUOTA_PAID])},
	{"EDS_TRUSTED_PROXIES", "", form_cidrs, FIELD(trusted_proxies)},
	{"EDS_TRUSTED_RELAYS", "", form_cidrs, FIELD(trusted_relays)},
	{"EDS_SMTP_TRUSTED", "", form_cidrs, FIELD(smtp_trusted)},
	{"EDS_BLOCKED_NETWORKS", "", form_cidrs, FIELD(blocked_networks)},
	{"EDS_SANDBOX", "required", form_sandbox, FIELD(sandbox)},
	{"EDS_LOG_LEVEL", "info", form_level, FIELD(log_level)},
	{"EDS_ALLOW_PRIVATE_ADDRESSES", "0", form_switch, FIELD(allow_private)},
	{"EDS_POLICY_FETCH_PORT", "443", rt_config_form_port, FIELD(policy_fetch_port)},
	{"EDS_NAME_SERVER_PORT", "53", rt_config_form_port_or_none, FIELD(name_server_port)},
	{"EDS_STARTTLS_PORT", "25", rt_config_form_port, FIELD(starttls_port)},
	{"EDS_WEBHOOK_PORT", "443", rt_config_form_port, FIELD(webhook_port)},
#undef FIELD
};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* A DNSBL zone may contain a customer's key, and the URL of a database or of a relay may contain a
 * password. So error messages do not repeat these values. */
static bool is_secret(const char *name)
{
	return strncmp(name, "EDS_DNSBL_", 10) == 0 || strcmp(name, "EDS_DATABASE_URL") == 0 ||
		strcmp(name, "EDS_ALERT_RELAY") == 0;
}

bool rt_config_load(struct rt_config *config, char error[RT_CONFIG_ERROR_MAX])
{
	memset(config, 0, sizeof *config);
	for (size_t i = 0; i < SETTINGS; i++) {
		const char *set = getenv(settings[i].name);
		const char *text = set != NULL ? set : settings[i].initial;
		void *field = (char *)config + settings[i].offset;
		const char *wanted = NULL;

		/* a setting need not name all members of a quota; those left out keep their
		 * defaults */
		if (settings[i].read == form_quota || settings[i].read == form_mail_quota)
			wanted = settings[i].read(settings[i].initial, field);
		if (wanted == NULL)
			wanted = settings[i].read(text, field);
		if (wanted == NULL)
			continue;
		snprintf(error, RT_CONFIG_ERROR_MAX, "%s must be %s%s%.100s%s", settings[i].name,
			wanted, is_secret(settings[i].name) ? "" : "; it is \"",
			is_secret(settings[i].name) ? "" : text,
			is_secret(settings[i].name) ? "" : "\"");
		return false;
	}
	return true;
}

const char *rt_config_name(size_t i)
{
	return i < SETTINGS ? settings[i].name : NULL;
}

static struct rt_config process_config;
static bool process_config_loaded;

/* Loads the configuration at the first call, if nothing has loaded it yet. Otherwise the caller
 * would see zeros, and zero is a valid value of most fields. */
const struct rt_config *rt_config(void)
{
	if (!process_config_loaded)
		rt_config_require();
	return &process_config;
}

void rt_config_require(void)
{
	char error[RT_CONFIG_ERROR_MAX];

	if (!rt_config_load(&process_config, error)) {
		fprintf(stderr, "%s\n", error);
		exit(RT_EXIT_CONFIG);
	}
	process_config_loaded = true;
	rt_log_set_level((enum rt_log_level)process_config.log_level);
}

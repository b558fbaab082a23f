#include "functions/lib/posture/providers.h"

#include <stdlib.h>
#include <string.h>

struct provider {
	const char *domain;
	const char *selectors;
};

/* The providers, sorted by domain, octet by octet, for binary search. */
static const struct provider providers[] = {
	{"brevo.com", "brevo1 brevo2 mail"},
	{"cloudflare.net", "cf2024-1"},
	{"constantcontact.com", "ctct1 ctct2"},
	{"createsend.com", "cm"},
	{"elasticemail.com", "api"},
	{"emsd1.com", "dk"},
	{"gandi.net", "gm1 gm2 gm3"},
	{"google.com", "google"},
	{"googlemail.com", "google"},
	{"helpscoutemail.com", "strong1 strong2"},
	{"hostinger.com", "hostingermail-a hostingermail-b hostingermail-c"},
	{"icloud.com", "sig1"},
	{"improvmx.com", "dkimprovmx1 dkimprovmx2"},
	{"ionos.com", "s1-ionos s2-ionos"},
	{"ionos.de", "s1-ionos s2-ionos"},
	{"kundenserver.de", "s1-ionos s2-ionos"},
	{"mail.ru", "mailru"},
	{"mailbox.org", "mbo0001 mbo0002 mbo0003 mbo0004"},
	{"mailersend.net", "mlsend mlsend2"},
	{"mailgun.org", "k1 mailo mx pic smtp"},
	{"mailjet.com", "mailjet"},
	{"mandrillapp.com", "mandrill mte1 mte2"},
	{"mcsv.net", "k1 k2 k3"},
	{"messagingengine.com", "fm1 fm2 fm3"},
	{"migadu.com", "key1 key2 key3"},
	{"mlsend.com", "litesrv ml"},
	{"mxlogin.com", "x"},
	{"mxroute.com", "x"},
	{"outlook.com", "selector1 selector2"},
	{"privateemail.com", "default"},
	{"protonmail.ch", "protonmail protonmail2 protonmail3"},
	{"purelymail.com", "purelymail1 purelymail2 purelymail3"},
	{"sendgrid.net", "s1 s2"},
	{"sendinblue.com", "brevo1 brevo2 mail"},
	{"simplelogin.co", "dkim dkim02 dkim03"},
	{"titan.email", "titan1 titan2"},
	{"tutanota.de", "s1 s2"},
	{"yandex.net", "mail"},
	{"yandex.ru", "mail"},
	{"zendesk.com", "zendesk1 zendesk2"},
	{"zoho.com", "zmail zoho"},
	{"zoho.eu", "zmail zoho"},
};

static int compare(const void *name, const void *provider)
{
	return strcmp(name, ((const struct provider *)provider)->domain);
}

const char *eds_provider_selectors(const char *host)
{
	const struct provider *provider = NULL;

	/* looks up the host itself first, then each domain above it */
	while (host != NULL && provider == NULL) {
		provider = bsearch(host, providers, sizeof providers / sizeof providers[0],
			sizeof providers[0], compare);
		host = strchr(host, '.');
		host = host != NULL ? host + 1 : NULL;
	}
	return provider != NULL ? provider->selectors : NULL;
}

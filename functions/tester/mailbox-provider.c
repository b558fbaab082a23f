#include "functions/tester/mailbox-provider.h"

#include <stddef.h>
#include <string.h>

/* Large providers of several countries; a domain that is missing here gets the general advice. */
static const char *const domains[] = {"126.com", "163.com", "aol.com", "comcast.net", "free.fr",
	"gmail.com", "gmx.at", "gmx.ch", "gmx.com", "gmx.de", "gmx.net", "googlemail.com",
	"icloud.com", "laposte.net", "libero.it", "mac.com", "mail.com", "mail.ru", "me.com",
	"msn.com", "naver.com", "orange.fr", "pm.me", "proton.me", "protonmail.com", "qq.com",
	"t-online.de", "web.de", "yandex.com", "yandex.ru", "ymail.com"};

/* Brands with a domain in each of many countries: yahoo.co.uk, hotmail.fr. */
static const char *const brands[] = {"hotmail.", "live.", "outlook.", "yahoo."};

/* True for "com", and for the endings of countries, such as "fr", "co.uk" and "com.au". */
static bool is_country(const char *rest)
{
	if (strcmp(rest, "com") == 0)
		return true;
	if (strncmp(rest, "co.", 3) == 0 || strncmp(rest, "com.", 4) == 0)
		rest = strchr(rest, '.') + 1;
	return strlen(rest) == 2;
}

bool is_mailbox_provider(const char *domain)
{
	for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
		if (strcmp(domain, domains[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof brands / sizeof *brands; i++)
		if (strncmp(domain, brands[i], strlen(brands[i])) == 0 &&
			is_country(domain + strlen(brands[i])))
			return true;
	return false;
}

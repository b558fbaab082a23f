/* Replaces the LDAP functions that libpq calls to look up connection services at ldap://…: each
 * reports that there is no LDAP, and libpq passes that error to its caller. */
#include <stddef.h>

enum {
	LDAP_CONNECT_ERROR = -11, /* ldap.h */
};

int ldap_count_entries(void *ld, void *chain);
char *ldap_err2string(int error);
void *ldap_first_entry(void *ld, void *chain);
void **ldap_get_values_len(void *ld, void *entry, const char *attribute);
void *ldap_init(const char *host, int port);
int ldap_msgfree(void *message);
int ldap_result(void *ld, int id, int all, void *timeout, void **result);
int ldap_search_st(void *ld, const char *base, int scope, const char *filter, char **attributes,
	int attributes_only, void *timeout, void **result);
int ldap_set_option(void *ld, int option, const void *value);
int ldap_simple_bind(void *ld, const char *name, const char *password);
int ldap_unbind(void *ld);
void ldap_value_free_len(void **values);

void *ldap_init(const char *host, int port)
{
	(void)host;
	(void)port;
	return NULL;
}

char *ldap_err2string(int error)
{
	static char text[] = "LDAP is not part of this package";

	(void)error;
	return text;
}

int ldap_count_entries(void *ld, void *chain)
{
	(void)ld;
	(void)chain;
	return LDAP_CONNECT_ERROR;
}

void *ldap_first_entry(void *ld, void *chain)
{
	(void)ld;
	(void)chain;
	return NULL;
}

void **ldap_get_values_len(void *ld, void *entry, const char *attribute)
{
	(void)ld;
	(void)entry;
	(void)attribute;
	return NULL;
}

int ldap_msgfree(void *message)
{
	(void)message;
	return LDAP_CONNECT_ERROR;
}

int ldap_result(void *ld, int id, int all, void *timeout, void **result)
{
	(void)ld;
	(void)id;
	(void)all;
	(void)timeout;
	(void)result;
	return LDAP_CONNECT_ERROR;
}

int ldap_search_st(void *ld, const char *base, int scope, const char *filter, char **attributes,
	int attributes_only, void *timeout, void **result)
{
	(void)ld;
	(void)base;
	(void)scope;
	(void)filter;
	(void)attributes;
	(void)attributes_only;
	(void)timeout;
	(void)result;
	return LDAP_CONNECT_ERROR;
}

int ldap_set_option(void *ld, int option, const void *value)
{
	(void)ld;
	(void)option;
	(void)value;
	return LDAP_CONNECT_ERROR;
}

int ldap_simple_bind(void *ld, const char *name, const char *password)
{
	(void)ld;
	(void)name;
	(void)password;
	return LDAP_CONNECT_ERROR;
}

int ldap_unbind(void *ld)
{
	(void)ld;
	return LDAP_CONNECT_ERROR;
}

void ldap_value_free_len(void **values)
{
	(void)values;
}

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/config/config-form.h"
#include "runtime/config/config-quota.h"

enum {
	NUMBER_MAX = 1000000,
	MIB = 1024 * 1024,
};

struct member {
	const char *name;
	size_t offset;
};

static bool parse_number(const char *text, long *number)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	*number = strtol(text, &end, 10);
	return *end == '\0' && *number <= NUMBER_MAX;
}

/* Stores a parsed number in a member. */
typedef void set_number(void *member, long number);

static void set_count(void *member, long number)
{
	*(int *)member = (int)number;
}

static void set_octets(void *member, long number)
{
	*(int64_t *)member = (int64_t)number * MIB;
}

/* The form of a quota: the names of its members, and the function that stores a number. */
struct quota_form {
	const struct member *members;
	size_t count;
	set_number *set;
};

/* Parses "name=number" and stores the number. */
static bool parse_member(char *text, const struct quota_form *form, void *quota)
{
	const char *name = strsep(&text, "=");
	long number;

	for (size_t i = 0; text != NULL && i < form->count; i++) {
		if (strcmp(name, form->members[i].name) != 0)
			continue;
		if (!parse_number(text, &number))
			return false;
		form->set((char *)quota + form->members[i].offset, number);
		return true;
	}
	return false;
}

static bool parse(const char *text, const struct quota_form *form, void *quota)
{
	char *rest = rt_config_keep(text);
	char *item;

	while (text[0] != '\0' && (item = strsep(&rest, ",")) != NULL)
		if (!parse_member(item, form, quota))
			return false;
	return true;
}

bool rt_quota_parse(const char *text, struct rt_quota *quota)
{
	static const struct member members[] = {
		{"domains", offsetof(struct rt_quota, domains)},
		{"selectors", offsetof(struct rt_quota, selectors)},
		{"checks", offsetof(struct rt_quota, checks)},
		{"certificates", offsetof(struct rt_quota, certificates)},
		{"callbacks", offsetof(struct rt_quota, callbacks)},
		{"uploads", offsetof(struct rt_quota, uploads)},
	};
	static const struct quota_form form = {
		members, sizeof members / sizeof members[0], set_count};

	return parse(text, &form, quota);
}

bool rt_mail_quota_parse(const char *text, struct rt_mail_quota *quota)
{
	static const struct member members[] = {
		{"network", offsetof(struct rt_mail_quota, network)},
		{"all", offsetof(struct rt_mail_quota, all)},
	};
	static const struct quota_form form = {
		members, sizeof members / sizeof members[0], set_octets};

	return parse(text, &form, quota);
}

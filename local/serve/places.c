#include "local/serve/places.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "local/serve/migration.h"
#include "local/spool/spool-folder.h"
#include "runtime/config/config.h"

void absolute_path(const char *path, char absolute[PATH_MAX])
{
	size_t length = 0;

	if (path[0] != '/' && getcwd(absolute, PATH_MAX) != NULL) {
		length = strlen(absolute);
		if (length > 1 && length < PATH_MAX - 1)
			absolute[length++] = '/';
	}
	snprintf(absolute + length, PATH_MAX - length, "%s", path);
}

void place_of_database(char place[PATH_MAX])
{
	const char *url = rt_config()->database_url;

	if (strncmp(url, "sqlite:", 7) == 0)
		absolute_path(url + 7, place);
	else
		migration_host(url, place);
}

void place_of_mail_store(char place[PATH_MAX])
{
	const char *store = rt_config()->mail_store;

	if (strncmp(store, "file:", 5) == 0)
		absolute_path(store + 5, place);
	else
		snprintf(place, PATH_MAX, "%s", store);
}

void place_of_spool(char place[PATH_MAX])
{
	char folder[SPOOL_PATH_MAX];

	absolute_path(spool_folder(folder) ? folder : "", place);
}

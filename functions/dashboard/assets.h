/* The files of the dashboard, part of the program.
 *
 * functions/dashboard/embed writes the table from functions/dashboard/assets/ when it is built:
 *
 *     {"style.css", "text/css; charset=utf-8", "\"2c26b46b68ffc68f\"", bytes, 8123}
 */
#ifndef DASHBOARD_ASSETS_H
#define DASHBOARD_ASSETS_H

#include <stddef.h>

struct dashboard_asset {
	const char *name;  /* "style.css" */
	const char *type;  /* of media, for Content-Type */
	const char *etag;  /* quoted, strong: it follows from the bytes */
	const char *bytes; /* text in UTF-8 */
	size_t length;
};

extern const struct dashboard_asset dashboard_assets[];
extern const size_t dashboard_asset_count;

#endif

/* The files of the dashboard, part of the program.
 *
 * functions/dashboard/embed writes the table when it is built:
 *
 *     {"style.css", "style-2c26b46b68ffc68f.css", "text/css; charset=utf-8",
 * "\"2c26b46b68ffc68f\"",
 *      "\"6b86b273ff34fce1\"", bytes, 22479, gzip, 5903}
 */
#ifndef DASHBOARD_ASSETS_H
#define DASHBOARD_ASSETS_H

#include <stddef.h>

struct dashboard_asset {
	const char *name;    /* "style.css" */
	const char *lasting; /* its name for as long as it has these bytes; NULL for none */
	const char *type;    /* of media, for Content-Type */
	/* Quoted, strong: they follow from the bytes, and differ between the two forms
	 * (RFC 9110 section 8.8.3.3). */
	const char *etag;
	const char *gzip_etag;
	const char *bytes; /* text in UTF-8 */
	size_t length;
	const char *gzip; /* the same, compressed */
	size_t gzip_length;
};

extern const struct dashboard_asset dashboard_assets[];
extern const size_t dashboard_asset_count;

#endif

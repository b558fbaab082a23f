/* The files of the dashboard, embedded in the program.
 *
 * functions/dashboard/embed writes the table at build time:
 *
 *     {"style.css", "style-2c26b46b68ffc68f.css", "text/css; charset=utf-8",
 *      "\"2c26b46b68ffc68f\"", "\"6b86b273ff34fce1\"", bytes, 22479, gzip, 5903}
 */
#ifndef DASHBOARD_ASSETS_H
#define DASHBOARD_ASSETS_H

#include <stddef.h>

struct dashboard_asset {
	const char *name; /* name of the file: "style.css" */
	/* a name that contains a digest of the bytes; browsers may cache the file under this name
	 * for good; NULL if the file has no such name */
	const char *lasting;
	const char *type; /* media type for Content-Type */
	/* Strong ETag with its quotes, made from the bytes; the compressed form has its own (RFC
	 * 9110 section 8.8.3.3). */
	const char *etag;
	const char *gzip_etag;
	const char *bytes; /* the file's text in UTF-8 */
	size_t length;
	const char *gzip; /* the same text as `bytes`, compressed by gzip */
	size_t gzip_length;
};

extern const struct dashboard_asset dashboard_assets[];
extern const size_t dashboard_asset_count;

#endif

/* eds-report-reader: the helper program of the sandbox that reads report mail (reader.h), in
 * libexec. A function starts this program with an empty environment and one descriptor, the control
 * socket. It is not for use by hand.
 */
#include <errno.h>
#include <gmime/gmime.h>
#include <iconv.h>
#include <stdlib.h>

#include "functions/lib/reports/reader-child.h"
#include "functions/lib/reports/reader-warm.h"
#include "functions/lib/sandbox/serve.h"

/* Replaces the C library's iconv_open(), with which GLib and libarchive would convert file names
 * from any character set that a sender claims. Such a conversion would load code from a file. As
 * this function always fails, they use the octets as they are. */
iconv_t iconv_open(const char *to, const char *from)
{
	(void)to;
	(void)from;
	errno = EINVAL;
	return (iconv_t)-1;
}

/* These functions stand in for those of GMime and GPGME for encryption, signatures and GIO files:
 * the original functions would link GPGME and GIO into a program that uses neither. */
GType g_mime_gpg_context_get_type(void)
{
	return G_TYPE_INVALID;
}

GMimeCryptoContext *g_mime_gpg_context_new(void)
{
	return NULL;
}

GType g_mime_pkcs7_context_get_type(void)
{
	return G_TYPE_INVALID;
}

GMimeCryptoContext *g_mime_pkcs7_context_new(void)
{
	return NULL;
}

GType g_mime_stream_gio_get_type(void)
{
	return G_TYPE_INVALID;
}

const char *gpgme_check_version_internal(const char *version, size_t offset);
const char *gpgme_check_version_internal(const char *version, size_t offset)
{
	(void)version;
	(void)offset;
	return NULL;
}

/* libarchive converts each member's date; with TZ set, the C library does not look for the time
 * zone in a file. */
int main(int argc, char **argv)
{
	if (setenv("TZ", "UTC0", 1) != 0)
		return EXIT_FAILURE;
	return eds_helper_main(argc, argv, eds_report_reader_init, eds_report_reader_child);
}

/* Reads RSA public keys without OpenSSL's decoders, which take 90 us for a key, five times as long
 * as a verification. This code takes 10 us.
 *
 * libopendkim reads keys by d2i_PUBKEY_bio(). In programs that link this file, the function of that
 * name in fast-key.c replaces OpenSSL's. If libopendkim is a shared library, the dynamic linker
 * finds the program's function first; in a static program, the linker redirects the call (--wrap,
 * in the Makefile). The function accepts only strict SubjectPublicKeyInfo with an RSA key.
 */
#ifndef EDS_DKIM_FAST_KEY_H
#define EDS_DKIM_FAST_KEY_H

/* Does nothing. Each user of libopendkim calls it, so that the linker takes this file from the
 * archive. */
void eds_fast_key_use(void);

/* The number of keys that this code has read. */
unsigned eds_fast_key_count(void);

#endif

/* Reads RSA public keys without OpenSSL's decoders, which take five times as long as a verification
 * (90 us; this code takes 10).
 *
 * libopendkim reads keys by d2i_PUBKEY_bio(). Programs that link this file read them by the
 * function in fast-key.c instead: where libopendkim is a shared library, by its name, which the
 * program has first; in a static program, because the linker sends the call to it (--wrap, in the
 * Makefile). It accepts only strict SubjectPublicKeyInfo with an RSA key.
 */
#ifndef EDS_DKIM_FAST_KEY_H
#define EDS_DKIM_FAST_KEY_H

/* Does nothing. Each user of libopendkim calls it, so that the linker takes this file from the
 * archive. */
void eds_fast_key_use(void);

/* The number of keys that this code has read. */
unsigned eds_fast_key_count(void);

#endif

/* Reads RSA public keys without OpenSSL's decoders, which take five times as long as a verification
 * (90 us; this code takes 10).
 *
 * libopendkim reads keys by d2i_PUBKEY_bio(). fast-key.c defines that function and so replaces
 * libcrypto's in programs that link this file, whether libopendkim is an archive or a shared
 * library. It accepts only strict SubjectPublicKeyInfo with an RSA key.
 */
#ifndef EDS_DKIM_FAST_KEY_H
#define EDS_DKIM_FAST_KEY_H

/* Does nothing. Each user of libopendkim calls it, so that the linker takes this file from the
 * archive. */
void eds_fast_key_use(void);

/* The number of keys that this code has read. */
unsigned eds_fast_key_count(void);

#endif

/* Reading RSA public keys without OpenSSL's decoders, which take five times as long as verifying
 * with the key (90 us; this takes 10).
 *
 * libopendkim reads keys by d2i_PUBKEY_bio(). fast-key.c defines that function: it comes before
 * libcrypto's in programs that link this file, with libopendkim as an archive or as a shared
 * library. It takes strict SubjectPublicKeyInfo with an RSA key and nothing else.
 */
#ifndef EDS_DKIM_FAST_KEY_H
#define EDS_DKIM_FAST_KEY_H

/* To be called by who uses libopendkim: the linker takes this file out of the archive for it. */
void eds_fast_key_use(void);

/* How many keys were read here. */
unsigned eds_fast_key_count(void);

#endif

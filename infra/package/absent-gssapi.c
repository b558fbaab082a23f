/* Replaces the Kerberos functions that libpq calls: each reports that there is no Kerberos. libpq
 * first asks for a credential; without one it uses the other ways to log in. */
#include <stddef.h>
#include <stdint.h>

static const uint32_t unavailable = 16U << 16; /* GSS_S_UNAVAILABLE, RFC 2744 section 3.9.1 */

void *GSS_C_NT_HOSTBASED_SERVICE = NULL;

uint32_t gss_acquire_cred(uint32_t *minor, void *name, uint32_t time, void *mechanisms, int usage,
	void **credential, void **actual, uint32_t *lasts);
uint32_t gss_delete_sec_context(uint32_t *minor, void **context, void *token);
uint32_t gss_display_status(
	uint32_t *minor, uint32_t value, int type, void *mechanism, uint32_t *context, void *text);
uint32_t gss_import_name(uint32_t *minor, void *text, void *type, void **name);
uint32_t gss_init_sec_context(uint32_t *minor, void *credential, void **context, void *name,
	void *mechanism, uint32_t flags, uint32_t time, void *bindings, void *in, void **actual,
	void *out, uint32_t *actual_flags, uint32_t *lasts);
uint32_t gss_release_buffer(uint32_t *minor, void *buffer);
uint32_t gss_release_cred(uint32_t *minor, void **credential);
uint32_t gss_release_name(uint32_t *minor, void **name);
uint32_t gss_unwrap(uint32_t *minor, void *context, void *in, void *out, int *state, uint32_t *qop);
uint32_t gss_wrap(uint32_t *minor, void *context, int confidential, uint32_t qop, void *in,
	int *state, void *out);
uint32_t gss_wrap_size_limit(uint32_t *minor, void *context, int confidential, uint32_t qop,
	uint32_t size, uint32_t *limit);

static uint32_t refuse(uint32_t *minor)
{
	*minor = 0;
	return unavailable;
}

uint32_t gss_acquire_cred(uint32_t *minor, void *name, uint32_t time, void *mechanisms, int usage,
	void **credential, void **actual, uint32_t *lasts)
{
	(void)name;
	(void)time;
	(void)mechanisms;
	(void)usage;
	(void)actual;
	(void)lasts;
	*credential = NULL;
	return refuse(minor);
}

uint32_t gss_delete_sec_context(uint32_t *minor, void **context, void *token)
{
	(void)context;
	(void)token;
	return refuse(minor);
}

uint32_t gss_display_status(
	uint32_t *minor, uint32_t value, int type, void *mechanism, uint32_t *context, void *text)
{
	(void)value;
	(void)type;
	(void)mechanism;
	(void)context;
	(void)text;
	return refuse(minor);
}

uint32_t gss_import_name(uint32_t *minor, void *text, void *type, void **name)
{
	(void)text;
	(void)type;
	*name = NULL;
	return refuse(minor);
}

uint32_t gss_init_sec_context(uint32_t *minor, void *credential, void **context, void *name,
	void *mechanism, uint32_t flags, uint32_t time, void *bindings, void *in, void **actual,
	void *out, uint32_t *actual_flags, uint32_t *lasts)
{
	(void)credential;
	(void)context;
	(void)name;
	(void)mechanism;
	(void)flags;
	(void)time;
	(void)bindings;
	(void)in;
	(void)actual;
	(void)out;
	(void)actual_flags;
	(void)lasts;
	return refuse(minor);
}

uint32_t gss_release_buffer(uint32_t *minor, void *buffer)
{
	(void)buffer;
	return refuse(minor);
}

uint32_t gss_release_cred(uint32_t *minor, void **credential)
{
	(void)credential;
	return refuse(minor);
}

uint32_t gss_release_name(uint32_t *minor, void **name)
{
	(void)name;
	return refuse(minor);
}

uint32_t gss_unwrap(uint32_t *minor, void *context, void *in, void *out, int *state, uint32_t *qop)
{
	(void)context;
	(void)in;
	(void)out;
	(void)state;
	(void)qop;
	return refuse(minor);
}

uint32_t gss_wrap(uint32_t *minor, void *context, int confidential, uint32_t qop, void *in,
	int *state, void *out)
{
	(void)context;
	(void)confidential;
	(void)qop;
	(void)in;
	(void)state;
	(void)out;
	return refuse(minor);
}

uint32_t gss_wrap_size_limit(uint32_t *minor, void *context, int confidential, uint32_t qop,
	uint32_t size, uint32_t *limit)
{
	(void)context;
	(void)confidential;
	(void)qop;
	(void)size;
	*limit = 0;
	return refuse(minor);
}

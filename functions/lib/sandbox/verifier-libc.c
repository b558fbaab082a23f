/* Functions that libopendkim needs when it is linked statically: strlcpy and strlcat, which glibc
 * has only since 2.38, and the Berkeley DB of its key cache, which is never opened here. Also
 * replacements for functions that it must not use: the resolver, host names, dlopen. libopendkim
 * sets up a resolver for each message and reads /etc/resolv.conf, though keys come from elsewhere;
 * the linker replaces the C library's functions with those below (--wrap).
 */
#include <errno.h>
#include <netdb.h>
#include <stddef.h>
#include <string.h>

size_t strlcpy(char *target, const char *source, size_t size);
size_t strlcat(char *target, const char *source, size_t size);
int db_create(void **database, void *environment, unsigned flags);
int __wrap___res_init(void);
int __wrap___res_ninit(void *state);
void __wrap___res_nclose(void *state);
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
	struct addrinfo **result);
struct hostent *__wrap_gethostbyname(const char *name);
void *__wrap_dlopen(const char *file, int mode);

size_t strlcpy(char *target, const char *source, size_t size)
{
	size_t length = strlen(source);
	size_t copied = length < size ? length : size - 1;

	if (size > 0) {
		memcpy(target, source, copied);
		target[copied] = '\0';
	}
	return length;
}

size_t strlcat(char *target, const char *source, size_t size)
{
	size_t used = strnlen(target, size);

	if (used == size)
		return size + strlen(source);
	return used + strlcpy(target + used, source, size - used);
}

int db_create(void **database, void *environment, unsigned flags)
{
	(void)environment;
	(void)flags;
	*database = NULL;
	return ENOSYS;
}

int __wrap___res_init(void)
{
	return 0;
}

int __wrap___res_ninit(void *state)
{
	(void)state;
	return 0;
}

void __wrap___res_nclose(void *state)
{
	(void)state;
}

int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
	struct addrinfo **result)
{
	(void)node;
	(void)service;
	(void)hints;
	*result = NULL;
	return EAI_FAIL;
}

struct hostent *__wrap_gethostbyname(const char *name)
{
	(void)name;
	return NULL;
}

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

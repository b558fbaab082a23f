/* Functions that the libraries of the verifier call, in two groups. The first group is for a
 * statically linked libopendkim: strlcpy and strlcat, which glibc has only since 2.38, and
 * db_create of Berkeley DB, for a key cache that is never opened here. The second group replaces
 * what the verifier must not use: the resolver and dlopen. The linker redirects the calls of the
 * libraries to these replacements (--wrap; the Makefile says why).
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

size_t strlcpy(char *target, const char *source, size_t size);
size_t strlcat(char *target, const char *source, size_t size);
int db_create(void **database, void *environment, unsigned flags);
int __wrap___res_init(void);
int __wrap___res_ninit(void *state);
void __wrap___res_nclose(void *state);
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

void *__wrap_dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

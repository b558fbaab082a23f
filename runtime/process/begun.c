#include "runtime/process/begun.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/kernel.h"

struct rt_begun {
	_Atomic uint64_t decided; /* each event up to this number was begun or taken back */
	_Atomic bool read;        /* the handler reads and updates `decided` */
};

static struct rt_begun *map(int fd)
{
	void *page = mmap(NULL, sizeof(struct rt_begun), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return NULL;
	return page;
}

struct rt_begun *rt_begun_new(int *fd)
{
	struct rt_begun *begun;

	*fd = rt_shared_memory("begun", sizeof *begun);
	if (*fd < 0)
		return NULL;
	begun = map(*fd);
	if (begun == NULL) {
		close(*fd);
		*fd = -1;
	}
	return begun;
}

void rt_begun_free(struct rt_begun *begun)
{
	if (begun != NULL)
		munmap(begun, sizeof *begun);
}

bool rt_begun_is_read(const struct rt_begun *begun)
{
	return begun != NULL && atomic_load(&begun->read);
}

uint64_t rt_begun_take_back(struct rt_begun *begun, uint64_t first, uint64_t last)
{
	uint64_t decided = atomic_load(&begun->decided);

	while (decided >= first)
		if (atomic_compare_exchange_weak(&begun->decided, &decided, last))
			break;
	return decided;
}

/* Removes the variable and closes the descriptor, so that children of a handler get neither. */
struct rt_begun *rt_begun_take(void)
{
	static const char set[] = RT_BEGUN_VARIABLE;
	char name[sizeof set] = "";
	struct rt_begun *begun;
	const char *value;

	memcpy(name, set, strcspn(set, "="));
	value = getenv(name);
	if (value == NULL || strcmp(value, strchr(set, '=') + 1) != 0)
		return NULL;
	unsetenv(name);
	begun = map(RT_BEGUN_FD);
	close(RT_BEGUN_FD);
	if (begun != NULL)
		atomic_store(&begun->read, true);
	return begun;
}

bool rt_begun_begin(struct rt_begun *begun, uint64_t number)
{
	uint64_t decided;

	if (begun == NULL)
		return true;
	decided = atomic_load(&begun->decided);
	while (number > decided)
		if (atomic_compare_exchange_weak(&begun->decided, &decided, number))
			return true;
	return false;
}

/* Runs a fuzz target over the files of a corpus without libFuzzer, to measure the code that they
 * reach. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUT_BYTES_MAX = 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copies the input into memory of exactly its size, as libFuzzer does. */
static int replay(const char *path)
{
	static uint8_t bytes[INPUT_BYTES_MAX];
	FILE *file = fopen(path, "rb");
	size_t size;
	uint8_t *data;

	if (file == NULL)
		return 1;
	size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	data = malloc(size + 1);
	if (data == NULL)
		return 1;
	for (size_t i = 0; i < size; i++)
		data[i] = bytes[i];
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	char path[4096];
	struct dirent *entry;
	DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
	int failed = 0;

	if (folder == NULL) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}
	while ((entry = readdir(folder)) != NULL) {
		snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
		if (entry->d_name[0] != '.')
			failed |= replay(path);
	}
	closedir(folder);
	return failed;
}

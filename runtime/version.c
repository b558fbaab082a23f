#include "runtime/version.h"

#include <stdio.h>
#include <string.h>

const char *rt_version(void)
{
	return "0.9.0";
}

bool rt_version_asked(int argc, char **argv)
{
	if (argc != 2 || strcmp(argv[1], "--version") != 0)
		return false;
	printf("eds %s\n", rt_version());
	return true;
}

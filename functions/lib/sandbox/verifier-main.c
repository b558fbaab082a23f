/* eds-verifier: the helper program of the sandbox (sandbox.h), in libexec.
 *
 * Started by a function with an empty environment and one descriptor, its control socket. Not for
 * use by hand.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "functions/lib/sandbox/verifier.h"

/* Only a function can start it: somebody's shell has no socket there. */
static bool has_control(void)
{
	int type;
	socklen_t length = sizeof type;

	return getsockopt(EDS_HELPER_CONTROL_FD, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
		type == SOCK_SEQPACKET;
}

int main(int argc, char **argv)
{
	bool confined = argc < 2 || strcmp(argv[1], EDS_HELPER_FREE_ARGUMENT) != 0;

	if (!has_control()) {
		fputs("eds-verifier is started by the functions that verify mail.\n", stderr);
		return 2;
	}
	eds_verifier_warm();
	return eds_helper_serve(confined, eds_verifier_child);
}

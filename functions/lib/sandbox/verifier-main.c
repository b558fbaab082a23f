/* eds-verifier: the helper program of the sandbox (sandbox.h), in libexec.
 *
 * Started by a function with an empty environment and one descriptor, its control socket. Not for
 * use by hand.
 */
#include "functions/lib/sandbox/verifier-child.h"
#include "functions/lib/sandbox/verifier-warm.h"

int main(int argc, char **argv)
{
	return eds_helper_main(argc, argv, eds_verifier_warm, eds_verifier_child);
}

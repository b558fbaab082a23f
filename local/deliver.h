/* `runner deliver FILE --to ADDRESS`: hands a message to the function that ADDRESS belongs to, as
 * the SMTP server would.
 *
 *     runner deliver FILE|- --to ADDRESS [--from ADDRESS] [--client-ip IP] [--helo NAME]
 *             [--functions DIR]
 *
 * Asks mail-accept, puts the message into the mail store and runs the function itself, so it needs
 * no running server. Bare LF becomes CRLF. Prints the result; exits with 0 when the function
 * succeeded. Otherwise prints a sentence and exits with 1. After wrong arguments prints the usage
 * and exits with RUNNER_EXIT_USAGE.
 */
#ifndef RUNNER_DELIVER_H
#define RUNNER_DELIVER_H

/* Runs the command; argv[0] is "deliver". */
int deliver_main(int argc, char **argv);

#endif

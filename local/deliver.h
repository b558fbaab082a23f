/* `runner deliver FILE --to ADDRESS`: hands a message to its function as the SMTP server would.
 *
 *     runner deliver FILE|- --to ADDRESS [--from ADDRESS] [--client-ip IP] [--helo NAME]
 *             [--functions DIR]
 *
 * Asks mail-accept, puts the message into the mail store and runs the function itself, so no server
 * need be running. Bare LF becomes CRLF. Prints what happened; 0 when the function did its work, 1
 * with a sentence otherwise.
 */
#ifndef RUNNER_DELIVER_H
#define RUNNER_DELIVER_H

/* argv[0] is "deliver". */
int deliver_main(int argc, char **argv);

#endif

/* The text that `runner serve --help` prints. */
#ifndef RUNNER_SERVE_USAGE_H
#define RUNNER_SERVE_USAGE_H

extern const char serve_usage[];

#endif

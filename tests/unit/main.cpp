// The entry point of every unit test executable.
#define DOCTEST_CONFIG_IMPLEMENT  // what the next line implies, where the header was read before
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

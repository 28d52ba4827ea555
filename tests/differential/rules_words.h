// The few words that configurations and requests are made of: so few that they meet.
#pragma once

#include <string_view>

namespace hawser::test::words {

inline constexpr std::string_view kFields[] = {"x", "y", "n", "host", "x-list"};
inline constexpr std::string_view kCookies[] = {"c", "d", "session"};
inline constexpr std::string_view kParameters[] = {"a", "b", "n", "A"};
inline constexpr std::string_view kVariables[] = {"txn.a", "txn.b", "sess.a", "req.a", "req.n", "proc.p"};
inline constexpr std::string_view kHosts[] = {"a.example",      "www.a.example", "A.Example",     "b.example",
                                              "b.example:8080", "c.test",        "api.c.test:80", "10.0.0.1"};
inline constexpr std::string_view kPaths[] = {"/",    "/a",      "/A",     "/a/b",    "/a/b/c",
                                              "/api", "/api/v1", "/b.png", "/b.css",  "/static/b.js",
                                              "/1",   "/12",     "/x%20y", "//a//b/", "/longer/path/with/many/parts"};
inline constexpr std::string_view kTexts[] = {"a", "A",  "b",   "ab",  "abc",  "a b",   "x", "GET",  "1",    "12",
                                              "5", "-7", "a,b", "c/d", "%41b", "a.b.c", "0", "true", "12abc"};
inline constexpr std::string_view kNumbers[] = {"0", "1", "2", "3", "5", "7", "12", "100", "-1"};
inline constexpr std::string_view kAddresses[] = {"192.0.2.1",        "192.0.2.200",     "198.51.100.7",
                                                  "10.1.2.3",         "2001:db8::1",     "2001:db8::ffff",
                                                  "::ffff:192.0.2.1", "2002:c000:201::1"};
inline constexpr std::string_view kNetworks[] = {"192.0.2.0/24", "192.0.2.1",     "10.0.0.0/8",  "198.51.100.0/25",
                                                 "0.0.0.0/0",    "2001:db8::/32", "2001:db8::1", "::ffff:192.0.2.0/120",
                                                 "127.0.0.0/8",  "::/0"};
inline constexpr std::string_view kExpressions[] = {"^a", "b$", "^/a",     "[0-9]+",  "\\.(png|css)$",
                                                    "^$", ".",  "example", "(?i)A\\b"};
inline constexpr std::string_view kMethods[] = {"GET", "GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "DELETE", "FOO"};
inline constexpr std::string_view kPredefined[] = {"TRUE",         "FALSE",        "HTTP",           "HTTP_1.0",
                                                   "HTTP_1.1",     "LOCALHOST",    "METH_GET",       "METH_POST",
                                                   "METH_HEAD",    "HTTP_URL_ABS", "HTTP_URL_SLASH", "HTTP_URL_STAR",
                                                   "HTTP_CONTENT", "WAIT_END",     "REQ_CONTENT"};

}  // namespace hawser::test::words

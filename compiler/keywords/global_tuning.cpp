// `global`: sizes of buffers, and settings that only tune what this configuration cannot use yet.
//
// Settings of the second kind (TLS material and ciphers, HTTP/2, compression, checks, Lua) are checked and accepted:
// the feature that they tune is refused by name where it would be used, so that they change nothing.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/keywords/keyword.h"

namespace hawser::compiler {
namespace {

constexpr Param kBufsize[] = {{.name = "bytes",
                               .take = Take::size,
                               .min = 1,
                               .max = 256 * 1024 * 1024,
                               .missing = "'tune.bufsize' expects an integer argument.",
                               .invalid = "'tune.bufsize' expects a positive integer argument."}};
void lower_bufsize(ReadContext& cx, const Args& args) {
  cx.config.global.buffer_bytes = args.setting<std::uint32_t>(0);
}

constexpr Param kMaxrewrite[] = {{.name = "bytes",
                                  .take = Take::loose_integer,
                                  .min = 0,
                                  .max = INT32_MAX,
                                  .missing = "'tune.maxrewrite' expects an integer argument.",
                                  .out_of_range = "'tune.maxrewrite' expects a positive integer argument."}};
void lower_maxrewrite(ReadContext& cx, const Args& args) {
  cx.config.global.rewrite_bytes = args.setting<std::uint32_t>(0);
}

// Ours: haproxy knows no such word.
constexpr Param kJitCpu[] = {{.name = "seconds",
                              .take = Take::loose_integer,
                              .min = 1,
                              .max = 3600,
                              .missing = "'tune.jit.max-cpu' expects a number of seconds.",
                              .out_of_range = "'tune.jit.max-cpu' expects a number of seconds between 1 and 3600."}};
void lower_jit_cpu(ReadContext& cx, const Args& args) {
  cx.config.global.jit_cpu_seconds = args.setting<std::uint32_t>(0);
}

// The setting was checked; the feature that it tunes is refused where it would be used.
void tunes_nothing_yet(ReadContext&, const Args&) {}

constexpr std::string_view kOnOff[] = {"on", "off"};
constexpr std::string_view kVerify[] = {"none", "required"};
constexpr std::string_view kExtraFiles[] = {"none", "all", "bundle", "sctl", "ocsp", "issuer", "key"};
constexpr std::string_view kTlsVersions[] = {"SSLv3", "TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3"};
constexpr std::string_view kTlsFlags[] = {"no-sslv3",     "no-tlsv10",      "no-tlsv11",      "no-tlsv12",
                                          "no-tlsv13",    "force-sslv3",    "force-tlsv10",   "force-tlsv11",
                                          "force-tlsv12", "force-tlsv13",   "no-tls-tickets", "prefer-client-ciphers",
                                          "strict-sni",   "no-renegotiate", "renegotiate",    "tls-tickets"};

constexpr Param kDirectory[] = {
    {.name = "directory", .missing = "global statement '{}' expects a directory path as an argument."}};
constexpr Param kText[] = {{.name = "text", .missing = "global statement '{}' expects a cipher suite as an argument."}};
constexpr Param kCount[] = {{.name = "number", .take = Take::loose_integer}};
constexpr Param kNatural[] = {{.name = "number", .take = Take::loose_integer, .min = 0}};
constexpr Param kOptionalNatural[] = {{.name = "number", .take = Take::loose_integer, .optional = true, .min = 0}};
constexpr Param kSeconds[] = {{.name = "time", .take = Take::duration, .unit = grammar::TimeUnit::s}};
constexpr Param kMilliseconds[] = {{.name = "time", .take = Take::duration}};
constexpr Param kSize[] = {{.name = "size", .take = Take::size}};
constexpr Param kSwitch[] = {{.name = "on or off", .take = Take::choice, .choices = kOnOff}};
constexpr Param kVerifyParams[] = {{.name = "none or required",
                                    .take = Take::choice,
                                    .choices = kVerify,
                                    .missing = "'ssl-server-verify' expects an integer argument.",
                                    .invalid = "'ssl-server-verify' expects 'none' or 'required' as argument."}};
constexpr Param kDhParam[] = {{.name = "bits",
                               .take = Take::loose_integer,
                               .min = 1024,
                               .out_of_range = "'tune.ssl.default-dh-param' expects a value >= 1024."}};
constexpr Param kH2Table[] = {
    {.name = "bytes",
     .take = Take::loose_integer,
     .min = 0,
     .max = 65536,
     .out_of_range = "'tune.h2.header-table-size' expects a numeric value between 4096 and 65536."}};
constexpr Param kH2Frame[] = {
    {.name = "bytes",
     .take = Take::loose_integer,
     .min = 16384,
     .max = 16777215,
     .out_of_range = "'tune.h2.max-frame-size' expects a numeric value between 16384 and 16777215."}};
constexpr Param kSpread[] = {{.name = "percent",
                              .take = Take::loose_integer,
                              .min = 0,
                              .max = 50,
                              .missing = "'spread-checks' expects an integer argument (0..50).",
                              .out_of_range = "'spread-checks' needs a positive value in range 0..50."}};
constexpr Param kCompressionLevel[] = {
    {.name = "level",
     .take = Take::loose_integer,
     .min = 1,
     .max = 9,
     .out_of_range = "'tune.comp.maxlevel' expects a numeric value between 1 and 9"}};
constexpr Param kPercent[] = {{.name = "percent", .take = Take::loose_integer, .min = 0, .max = 100}};
constexpr Param kSecurityLevel[] = {{.name = "level", .take = Take::integer, .min = 0, .max = 5}};

constexpr Param kTlsOptions[] = {
    {.name = "option …", .take = Take::rest, .missing = "global statement '{}' expects an option as an argument."}};
void check_tls_options(ReadContext& cx, const Args& args) {
  for (std::size_t at = 0; args.has(at); ++at) {
    const std::string_view word = args.text(at);
    if (word == "ssl-min-ver" || word == "ssl-max-ver") {
      ++at;
      if (!args.has(at)) {
        refuse(cx, args.voice, args.span(at - 1),
               fmt::format("'{}' : missing the ssl/tls version on global statement '{}'.", word, args.keyword()));
        return;
      }
      if (std::find(std::begin(kTlsVersions), std::end(kTlsVersions), args.text(at)) == std::end(kTlsVersions)) {
        refuse(cx, args.voice, args.span(at),
               fmt::format("'{}' : unknown ssl/tls version on global statement '{}'.", args.text(at), args.keyword()));
        return;
      }
    } else if (std::find(std::begin(kTlsFlags), std::end(kTlsFlags), word) == std::end(kTlsFlags)) {
      refuse(cx, args.voice, args.span(at),
             fmt::format("unknown option '{}' on global statement '{}'.", word, args.keyword()));
      return;
    }
  }
}

constexpr Param kExtraFilesParams[] = {{.name = "kind …", .take = Take::rest, .optional = true}};
void check_extra_files(ReadContext& cx, const Args& args) {
  for (std::size_t at = 0; args.has(at); ++at) {
    if (std::find(std::begin(kExtraFiles), std::end(kExtraFiles), args.text(at)) != std::end(kExtraFiles)) continue;
    refuse(cx, args.voice, args.span(at),
           "'ssl-load-extra-files' expects one or multiple arguments (none, all, bundle, sctl, ocsp, issuer).");
    return;
  }
}

constexpr Param kDhFile[] = {{.name = "file"}};
void check_dh_file(ReadContext& cx, const Args& args) {
  const std::string path(args.text(0));
  if (const auto text = read_whole_file(path); !text) {
    refuse(cx, args.voice, args.span(0),
           fmt::format("'ssl-dh-param-file': unable to load DH parameters from file <{}>.", path))
        .with_hint(text.error().message);
  }
}

constexpr Keyword tuning(std::string_view name, std::span<const Param> params, std::string_view summary,
                         void (*lower)(ReadContext&, const Args&) = tunes_nothing_yet) {
  return {.name = name, .sections = Section::global, .params = params, .summary = summary, .lower = lower};
}

constexpr Keyword kRows[] = {
    tuning("ca-base", kDirectory, "Set where relative names of CA files begin."),
    tuning("crt-base", kDirectory, "Set where relative names of certificates begin."),
    tuning("key-base", kDirectory, "Set where relative names of keys begin."),
    tuning("max-spread-checks", kMilliseconds, "Bound the time over which the first health checks are spread."),
    tuning("maxcompcpuusage", kPercent, "Compress less when the CPU is busier than this."),
    tuning("maxcomprate", kCount, "Bound the rate of compression, in kilobytes a second."),
    tuning("maxsslconn", kCount, "Set the most TLS connections at a time."),
    tuning("maxsslrate", kCount, "Set the most TLS sessions in a second."),
    tuning("maxzlibmem", kCount, "Bound the memory of zlib, in megabytes."),
    tuning("spread-checks", kSpread, "Vary the interval of health checks by this many percent."),
    tuning("ssl-default-bind-ciphers", kText, "Set the ciphers of TLS up to 1.2 towards clients."),
    tuning("ssl-default-bind-ciphersuites", kText, "Set the ciphers of TLS 1.3 towards clients."),
    tuning("ssl-default-bind-client-sigalgs", kText, "Set the signature algorithms asked of client certificates."),
    tuning("ssl-default-bind-curves", kText, "Set the curves of key exchange towards clients."),
    tuning("ssl-default-bind-options", kTlsOptions, "Set TLS versions and flags towards clients.", check_tls_options),
    tuning("ssl-default-bind-sigalgs", kText, "Set the signature algorithms towards clients."),
    tuning("ssl-default-server-ciphers", kText, "Set the ciphers of TLS up to 1.2 towards servers."),
    tuning("ssl-default-server-ciphersuites", kText, "Set the ciphers of TLS 1.3 towards servers."),
    tuning("ssl-default-server-client-sigalgs", kText, "Set the signature algorithms of our client certificates."),
    tuning("ssl-default-server-curves", kText, "Set the curves of key exchange towards servers."),
    tuning("ssl-default-server-options", kTlsOptions, "Set TLS versions and flags towards servers.", check_tls_options),
    tuning("ssl-default-server-sigalgs", kText, "Set the signature algorithms towards servers."),
    tuning("ssl-dh-param-file", kDhFile, "Read the parameters of Diffie-Hellman from a file.", check_dh_file),
    tuning("ssl-load-extra-del-ext", {}, "Replace the extension of a certificate's name to find its extra files."),
    tuning("ssl-load-extra-files", kExtraFilesParams, "Say which files to look for beside a certificate.",
           check_extra_files),
    tuning("ssl-security-level", kSecurityLevel, "Set OpenSSL's security level."),
    tuning("ssl-server-verify", kVerifyParams, "Say whether servers' certificates are verified by default."),
    tuning("ssl-skip-self-issued-ca", {}, "Do not send a root certificate that stands in a certificate's file."),
    {.name = "tune.bufsize",
     .sections = Section::global,
     .params = kBufsize,
     .summary = "Set the size of the buffer that holds a message head.",
     .lower = lower_bufsize},
    tuning("tune.comp.maxlevel", kCompressionLevel, "Set the highest level of compression."),
    tuning("tune.h2.be.initial-window-size", kNatural, "Set HTTP/2's initial window towards servers."),
    tuning("tune.h2.be.max-concurrent-streams", kNatural, "Set the most HTTP/2 streams of a server's connection."),
    tuning("tune.h2.be.rxbuf", kSize, "Set HTTP/2's receive buffers towards servers."),
    tuning("tune.h2.fe.initial-window-size", kNatural, "Set HTTP/2's initial window towards clients."),
    tuning("tune.h2.fe.max-concurrent-streams", kNatural, "Set the most HTTP/2 streams of a client's connection."),
    tuning("tune.h2.fe.max-total-streams", kNatural, "Set after how many streams an HTTP/2 connection ends."),
    tuning("tune.h2.fe.rxbuf", kSize, "Set HTTP/2's receive buffers towards clients."),
    tuning("tune.h2.header-table-size", kH2Table, "Set the size of HPACK's dynamic table."),
    tuning("tune.h2.initial-window-size", kNatural, "Set HTTP/2's initial window."),
    tuning("tune.h2.max-concurrent-streams", kOptionalNatural, "Set the most HTTP/2 streams of a connection."),
    tuning("tune.h2.max-frame-size", kH2Frame, "Set the largest HTTP/2 frame that we accept."),
    {.name = "tune.jit.max-cpu",
     .sections = Section::global,
     .params = kJitCpu,
     .summary = "Set the most CPU time that making native code may take, in seconds.",
     .lower = lower_jit_cpu},
    {.name = "tune.maxrewrite",
     .sections = Section::global,
     .params = kMaxrewrite,
     .summary = "Set the part of the buffer that is kept free for rewriting a message head.",
     .lower = lower_maxrewrite},
    tuning("tune.ssl.cachesize", kNatural, "Set the number of TLS sessions in the cache."),
    tuning("tune.ssl.capture-buffer-size", kNatural, "Set how much of a client's hello is captured."),
    tuning("tune.ssl.capture-cipherlist-size", kNatural, "Set how much of a client's hello is captured."),
    tuning("tune.ssl.default-dh-param", kDhParam, "Set the size of Diffie-Hellman parameters."),
    tuning("tune.ssl.force-private-cache", {}, "Do not share the TLS session cache."),
    tuning("tune.ssl.hard-maxrecord", kNatural, "Set the largest TLS record, always."),
    tuning("tune.ssl.keylog", kSwitch, "Keep TLS keys for sample fetches."),
    tuning("tune.ssl.lifetime", kSeconds, "Set how long a TLS session may be resumed."),
    tuning("tune.ssl.maxrecord", kNatural, "Set the largest TLS record while a connection is young."),
    tuning("tune.ssl.ssl-ctx-cache-size", kNatural, "Set the number of generated certificates that are kept."),
};
static_assert(complete(kRows));

}  // namespace

std::span<const Keyword> global_tuning_keywords() { return kRows; }

}  // namespace hawser::compiler

#include "runtime/proxy/built_in_errors.h"

#include <iterator>

namespace hawser::proxy {
namespace {

constexpr BuiltInError kErrors[] = {
    {200, "OK", "<html><body><h1>200 OK</h1>\nService ready.\n</body></html>\n"},
    {400, "Bad request",
     "<html><body><h1>400 Bad request</h1>\nYour browser sent an invalid request.\n</body></html>\n"},
    {401, "Unauthorized",
     "<html><body><h1>401 Unauthorized</h1>\nYou need a valid user and password to access this "
     "content.\n</body></html>\n"},
    {403, "Forbidden",
     "<html><body><h1>403 Forbidden</h1>\nRequest forbidden by administrative rules.\n</body></html>\n"},
    {404, "Not Found", "<html><body><h1>404 Not Found</h1>\nThe resource could not be found.\n</body></html>\n"},
    {405, "Method Not Allowed",
     "<html><body><h1>405 Method Not Allowed</h1>\nA request was made of a resource using a request method not "
     "supported "
     "by that resource\n</body></html>\n"},
    {407, "Unauthorized",
     "<html><body><h1>407 Unauthorized</h1>\nYou need a valid user and password to access this "
     "content.\n</body></html>\n"},
    {408, "Request Time-out",
     "<html><body><h1>408 Request Time-out</h1>\nYour browser didn't send a complete request in "
     "time.\n</body></html>\n"},
    {410, "Gone",
     "<html><body><h1>410 Gone</h1>\nThe resource is no longer available and will not be available "
     "again.\n</body></html>\n"},
    {413, "Payload Too Large",
     "<html><body><h1>413 Payload Too Large</h1>\nThe request entity exceeds the maximum allowed.\n</body></html>\n"},
    {422, "Unprocessable Content",
     "<html><body><h1>422 Unprocessable Content</h1>\nThe server cannot process the contained "
     "instructions.\n</body></html>\n"},
    {425, "Too Early", "<html><body><h1>425 Too Early</h1>\nYour browser sent early data.\n</body></html>\n"},
    {429, "Too Many Requests",
     "<html><body><h1>429 Too Many Requests</h1>\nYou have sent too many requests in a given amount of "
     "time.\n</body></html>\n"},
    {500, "Internal Server Error",
     "<html><body><h1>500 Internal Server Error</h1>\nAn internal server error occurred.\n</body></html>\n"},
    {501, "Not Implemented",
     "<html><body><h1>501 Not Implemented</h1>\n.The server does not support the functionality required to fulfill the "
     "request.\n</body></html>\n"},
    {502, "Bad Gateway",
     "<html><body><h1>502 Bad Gateway</h1>\nThe server returned an invalid or incomplete response.\n</body></html>\n"},
    {503, "Service Unavailable",
     "<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n"},
    {504, "Gateway Time-out",
     "<html><body><h1>504 Gateway Time-out</h1>\nThe server didn't respond in time.\n</body></html>\n"},
};

struct Phrase {
  std::uint16_t status;
  std::string_view text;
};

// As haproxy 2.6.12 answers `http-request return status N`.
constexpr Phrase kPhrases[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {102, "Processing"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {210, "Content Different"},
    {226, "IM Used"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Moved Temporarily"},
    {303, "See Other"},
    {304, "Not Modified"},
    {305, "Use Proxy"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {310, "Too many Redirects"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Time-out"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Request Entity Too Large"},
    {414, "Request-URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Requested range unsatisfiable"},
    {417, "Expectation failed"},
    {418, "I'm a teapot"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Method failure"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {449, "Retry With"},
    {450, "Blocked by Windows Parental Controls"},
    {451, "Unavailable For Legal Reasons"},
    {456, "Unrecoverable Error"},
    {499, "client has closed connection"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway or Proxy Error"},
    {503, "Service Unavailable"},
    {504, "Gateway Time-out"},
    {505, "HTTP Version not supported"},
    {506, "Variant also negotiate"},
    {507, "Insufficient storage"},
    {508, "Loop detected"},
    {509, "Bandwidth Limit Exceeded"},
    {510, "Not extended"},
    {511, "Network authentication required"},
    {520, "Web server is returning an unknown error"},
};

}  // namespace

const BuiltInError& built_in_error(std::uint16_t status) noexcept {
  const BuiltInError* fallback = nullptr;
  for (const BuiltInError& error : kErrors) {
    if (error.status == status) return error;
    if (error.status == 500) fallback = &error;
  }
  return *fallback;
}

int error_slot(std::uint16_t status) noexcept {
  for (std::size_t i = 0; i < std::size(abi::kErrorStatus); ++i) {
    if (abi::kErrorStatus[i] == status) return static_cast<int>(i);
  }
  return -1;
}

std::string_view reason_phrase(std::uint16_t status) noexcept {
  for (const Phrase& phrase : kPhrases) {
    if (phrase.status == status) return phrase.text;
  }
  switch (status / 100) {
    case 1: return "Informational";
    case 2: return "Success";
    case 3: return "Redirection";
    case 4: return "Client Error";
    case 5: return "Server Error";
    default: return "Other";
  }
}

}  // namespace hawser::proxy

// Walks the values of a head's fields with a cursor that can be kept (Frame::Cursor).
#pragma once

#include <string_view>

#include "runtime/exec/run.h"
#include "runtime/http/head.h"

namespace hawser::exec {

// Where the next list element of a field's value ends: at a comma outside of quotes, or at the end.
std::size_t end_of_element(std::string_view value, std::size_t from) noexcept;

// The next value of the fields of a name; an empty name means every field. With `split`, values are the elements of
// comma separated lists; blanks around them are no part of them. False at the end.
bool next_value(const http::Head& head, std::string_view name, bool split, Frame::Cursor& cursor,
                std::string_view& value) noexcept;

// The occurrence of a number: 1 the first, -1 the last.
bool numbered_value(const http::Head& head, std::string_view name, bool split, std::int64_t number,
                    std::string_view& value) noexcept;

// Without blanks and tabs around it.
std::string_view trimmed(std::string_view text) noexcept;

}  // namespace hawser::exec

// Two engines for one pattern: a fast one that is exact on ASCII text, another for the rest.
#pragma once

#include <functional>
#include <memory>

#include "match/matcher.h"

namespace mr::match {

// Whether no byte is above 0x7f.
bool IsAscii(std::string_view text);

// `other` is made when the first line that is not ASCII turns up.
std::unique_ptr<Matcher> NewAsciiSplit(std::unique_ptr<Matcher> ascii,
                                       std::function<std::unique_ptr<Matcher>()> other,
                                       char terminator);

}  // namespace mr::match

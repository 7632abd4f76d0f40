// The words that data sets are made of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mr::lab {

// `count` different lower-case words, most frequent first: common ones of the language, then
// invented ones that are spelled like it. At most 24 bytes each.
std::vector<std::string> EnglishWords(std::size_t count);
std::vector<std::string> RussianWords(std::size_t count);

// `count` different C identifiers of at most 28 bytes such as "queue_flush_pending", most
// frequent first, that begin with one of a few subsystem names.
std::vector<std::string> FunctionNames(std::size_t count);
std::vector<std::string> VariableNames(std::size_t count);

// The same in capitals; a few may occur twice.
std::vector<std::string> MacroNames(std::size_t count);

}  // namespace mr::lab

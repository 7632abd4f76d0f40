// Whether bytes are text in the user's character set.
#pragma once

#include <string_view>

namespace mr::print {

enum class Encoding {
  kBytes,  // every byte is a character: the C locale
  kUtf8,   // what the C library's mbrtowc takes for UTF-8, because GNU grep asks that: sequences of
           // up to six bytes, no surrogates, nothing overlong
  kLocale,  // whatever mbrlen says in the current LC_CTYPE
};

// Whether `bytes` hold no encoding error. Thread-safe.
bool IsText(std::string_view bytes, Encoding encoding);

}  // namespace mr::print

// How rare each byte is in text, to choose the parts of a literal that are worth looking for.
#pragma once

#include <bitset>

namespace mr::pattern {

using ByteSet = std::bitset<256>;

// -log2 of the byte's share, in bits. Measured over C source, English prose, web server logs and
// Russian manual pages, weighted 45:30:15:10; bytes that occur in none of them get 24. An estimate
// only: no result depends on it.
int RarityBits(unsigned char byte);

// The share of the bytes of a set, by the same table; and -log2 of it, where an empty set is as rare
// as a byte that does not occur.
double Share(const ByteSet& bytes);
double RarityBits(const ByteSet& bytes);

}  // namespace mr::pattern

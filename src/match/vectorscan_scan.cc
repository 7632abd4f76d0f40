// Vectorscan 5.4.9 loses matches, and invents some, on processors with AVX2 and more often with
// AVX-512. Several of its searches for a byte look, in an incomplete vector, at bytes that they
// have seen already instead of those that are left. (Upstream corrected them one by one,
// vermicelli's in pull request 378 of 2026.) Whether a match is lost depends on where the text lies
// in memory: `^b*x` is, where line 2 of two lines is x. Against RE2, over half a million random
// texts, the code for 16-byte vectors never was wrong, so that is what is used.
#include "match/vectorscan_scan.h"

#include "match/processor.h"

#ifdef MRGREP_VECTORSCAN_DISPATCHES

// What hs_scan and hs_free_database stand for on a processor with SSE 4.2 and no more.
extern "C" {
hs_error_t corei7_hs_scan(const hs_database_t* database, const char* data, unsigned int length,
                          unsigned int flags, hs_scratch_t* scratch, match_event_handler on_event,
                          void* context);
hs_error_t corei7_hs_free_database(hs_database_t* database);
}

namespace mr::match {

ScanFunction Scan16() { return HasSse42() ? corei7_hs_scan : nullptr; }
void Free16(hs_database_t* database) { corei7_hs_free_database(database); }

#else

namespace mr::match {

// Built for one kind of processor, which may be one that it cannot be trusted with.
ScanFunction Scan16() { return HasAvx2() ? nullptr : hs_scan; }
void Free16(hs_database_t* database) { hs_free_database(database); }

#endif

hs_platform_info_t Platform16() { return {}; }

}  // namespace mr::match

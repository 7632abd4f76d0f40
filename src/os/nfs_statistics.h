// What an NFS client counts for a mount, from /proc/self/mountstats.
//
// The layout is that of the kernel's nfs_show_stats (fs/nfs/super.c) and rpc_clnt_show_stats
// (net/sunrpc/stats.c). The names here:
//
//   "normal_read_bytes", "direct_read_bytes"   through read(2), cached or not
//   "server_read_bytes"                        that READs brought from the server
//   "read_pages"                               pages that the client asked the server for
//   "READ.calls", "GETATTR.calls", ...         finished operations, by the protocol's names
//   "READ.transmissions"                       more than calls: some were sent again
//   "READ.timeouts"                            major ones
//   "READ.sent_bytes", "READ.received_bytes"   headers included
//   "READ.queue_ms", "READ.rtt_ms"             in all calls together: waiting to be sent; from
//                                              sending to the answer
//   "READ.execute_ms"                          from the request to its completion
#pragma once

#include <optional>
#include <string_view>

#include "os/counters.h"

namespace mr::os {

// Of the mount on `mount_point` in the text of a mountstats file; when several are mounted there,
// of the last, which is the one that is seen. Nothing when that is not NFS.
std::optional<Counters> ParseNfsStatistics(std::string_view text, std::string_view mount_point);

// Now, for this process's mounts. See Difference.
std::optional<Counters> ReadNfsStatistics(std::string_view mount_point);

}  // namespace mr::os

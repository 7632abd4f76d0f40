// What others did to the machine while the trials ran, found in the log. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/plan/observation.h"

namespace mr::lab {

// Above these a trial is called disturbed by its neighbours. It counts all the same: neighbours
// are in every real machine, and who leaves out what they slow down reports a machine that is not
// there.
inline constexpr double kNeighbourDiskShare = 0.05;  // of the bytes of the data
inline constexpr double kNeighbourCpuShare = 0.10;   // of the time that all CPUs have
inline constexpr double kStealShare = 0.02;          // likewise

// Bytes that other processes read from disks during the trial, as far as it is known.
std::uint64_t NeighbourDiskBytes(const Observation& row);
// The share of the time of all CPUs that other processes used. 0 for a trial that is too short for
// the kernel's clock.
double NeighbourCpuShare(const Observation& row);

// A sentence (without its full stop) for each thing that makes the whole run less trustworthy.
std::vector<std::string> FindDisturbances(std::uint64_t file_bytes,
                                          std::span<const Observation> rows);

}  // namespace mr::lab

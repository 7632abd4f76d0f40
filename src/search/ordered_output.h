// Results of files that are searched side by side, written in the order of the files.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "search/sink.h"

namespace mr::search {

// The first unfinished place writes straight to the Output. What later ones write is kept, and
// whoever keeps too much waits until the places before it are done: those never wait, so there is
// always progress as long as nobody works at a place while an earlier one has nobody to finish it.
// Thread-safe; Output is called by one thread at a time.
class OrderedOutput {
 public:
  explicit OrderedOutput(Output& output) : output_(output) {}

  // The place of one file, or of some that follow each other and are searched one by one. Its
  // functions may be called by several threads, one at a time.
  class Place {
   public:
    explicit Place(OrderedOutput& owner) : owner_(owner) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    void Write(std::string_view bytes);
    // The first group of lines of a file: `gap` is put before it when another has written one
    // already.
    void WriteGroup(std::string_view gap, std::string_view bytes);
    void Message(Severity severity, std::string_view text);
    // Once this place is finished nothing is to come from later ones.
    void EndOutput() { last_ = true; }
    // Nothing more will come. The Place is not used after that.
    void Finish() { owner_.FinishPlace(*this); }

   private:
    friend class OrderedOutput;
    struct Item {
      enum class Kind { kBytes, kGroup, kMessage };
      Kind kind = Kind::kBytes;
      Severity severity = Severity::kNotice;  // of a message
      std::string gap;                        // of a group
      std::string text;
    };

    OrderedOutput& owner_;
    std::vector<Item> kept_;
    std::list<Place>::iterator self_;
    bool last_ = false;  // set before finished_
    std::atomic<bool> finished_{false};
  };

  // The next place in the order. The caller keeps the pointer; the place lives until it and all
  // places before it are finished.
  Place* Append();

  // One just behind another that is not finished yet.
  Place* AppendTo(Place& place);

  // Waits while there are too many places, unless `place` is the first unfinished one: the others
  // wait for that.
  void WaitForRoom(const Place& place);

  // Whether all places before this one are finished, and what was kept of this one is written.
  bool IsDue(const Place& place) const { return first_ == &place; }

  // Waits until it is due. False when there is nothing to wait for, because the output has been
  // abandoned.
  bool WaitForTurn(const Place& place);

  // Makes everybody who waits go on; what is written from then on is dropped.
  void Abandon();

 private:
  bool IsFirst(const Place& place) const { return &places_.front() == &place; }
  Place* Insert(std::list<Place>::iterator before);
  void Add(Place& place, Place::Item item, std::string_view text);
  void Emit(const Place::Item& item, std::string_view text);
  void FinishPlace(Place& place);

  Output& output_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Place> places_;
  // Most places are finished before it is their turn, and that takes no lock: a place that sees
  // that it is not the first one leaves the rest to that one, which sees that it is finished.
  std::atomic<const Place*> first_{nullptr};
  std::size_t kept_bytes_ = 0;
  bool wrote_group_ = false;
  bool abandoned_ = false;
};

}  // namespace mr::search

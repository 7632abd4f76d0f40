#include "walk/name_filter.h"

#include <gtest/gtest.h>

namespace mr::walk {
namespace {

TEST(NameFilter, WithoutGlobsLetsEverythingThrough) {
  EXPECT_FALSE(NameFilter().ExcludesEntry("a"));
  EXPECT_FALSE(NameFilter().ExcludesOperand("d/a"));
}

TEST(NameFilter, LastGlobThatMatchesDecides) {
  NameFilter filter;
  filter.Include("*.c");
  filter.Exclude("b.c");
  EXPECT_FALSE(filter.ExcludesEntry("a.c"));
  EXPECT_TRUE(filter.ExcludesEntry("b.c"));
  filter.Include("b.*");
  EXPECT_FALSE(filter.ExcludesEntry("b.c"));
}

TEST(NameFilter, FirstGlobSaysWhatBecomesOfTheRest) {
  NameFilter include_first;
  include_first.Include("*.c");
  include_first.Exclude("x");
  EXPECT_TRUE(include_first.ExcludesEntry("a.h"));
  NameFilter exclude_first;
  exclude_first.Exclude("x");
  exclude_first.Include("*.c");
  EXPECT_FALSE(exclude_first.ExcludesEntry("a.h"));
}

TEST(NameFilter, OperandsMatchFromEverySlash) {
  NameFilter filter;
  filter.Exclude("b*");
  EXPECT_TRUE(filter.ExcludesOperand("a/b/c"));
  EXPECT_TRUE(filter.ExcludesOperand("b/c"));
  EXPECT_FALSE(filter.ExcludesOperand("ab/c"));
  EXPECT_FALSE(filter.ExcludesEntry("a/b"));
}

TEST(NameFilter, TrailingSlashBeginsNoName) {
  NameFilter filter;
  filter.Exclude("*");
  NameFilter empty_name;
  empty_name.Exclude("");
  EXPECT_TRUE(filter.ExcludesOperand("a/"));
  EXPECT_TRUE(empty_name.ExcludesOperand("a/"));
  EXPECT_FALSE(empty_name.ExcludesOperand("a"));
}

}  // namespace
}  // namespace mr::walk

/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Tables too long for memory: blocks in a temporary file, then a file of growing columns.

#include "ns3/hdf5-reader.h"
#include "ns3/hdf5-writer.h"
#include "ns3/table-spill.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>

using namespace ns3;

namespace
{

/// @param first first value @param count rows @return a block
ResultTable
Block(uint64_t first, std::size_t count)
{
    std::vector<uint64_t> wide(count);
    std::iota(wide.begin(), wide.end(), first);
    ResultTable block("/long");
    block.Add("narrow", "1", std::vector<uint32_t>(wide.begin(), wide.end()));
    block.Add("wide", "B", wide);
    return block;
}

/// @param spill a spill @return its column "wide"
std::vector<uint64_t>
Wide(const TableSpill& spill)
{
    std::vector<uint64_t> all;
    spill.ForEach([&](const ResultTable& block) {
        const auto& values = std::get<std::vector<uint64_t>>(block.GetColumns()[1].values);
        all.insert(all.end(), values.begin(), values.end());
    });
    return all;
}

TEST(TableSpill, BlocksComeBackInOrder)
{
    TableSpill spill;
    EXPECT_TRUE(spill.IsEmpty());
    EXPECT_TRUE(Wide(spill).empty());
    spill.Append(Block(UINT64_MAX - 5, 3));
    spill.Append(Block(7, 1));
    EXPECT_EQ(Wide(spill),
              (std::vector<uint64_t>{UINT64_MAX - 5, UINT64_MAX - 4, UINT64_MAX - 3, 7}));
    spill.Append(Block(8, 2)); // after reading
    EXPECT_EQ(Wide(spill).size(), 6U);
    EXPECT_EQ(Wide(spill).back(), 9U) << "and again";
}

// Behind something else in a file, as a process hands it to another; copies outlive the original.
TEST(TableSpill, SavedAndLoaded)
{
    const std::shared_ptr<std::FILE> file(std::tmpfile(), std::fclose);
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(std::fputs("before", file.get()) >= 0, true);
    {
        TableSpill spill;
        spill.Append(Block(1, 5));
        spill.Append(Block(6, 2));
        ASSERT_TRUE(spill.Save(file.get()));
        ASSERT_TRUE(TableSpill().Save(file.get()));
    }
    ASSERT_EQ(std::fseek(file.get(), 6, SEEK_SET), 0);
    const TableSpill loaded = TableSpill::Load(file);
    EXPECT_EQ(Wide(loaded), (std::vector<uint64_t>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_TRUE(TableSpill::Load(file).IsEmpty());
    const TableSpill copy = loaded;
    EXPECT_EQ(Wide(copy).size(), 7U);
}

// Appended columns equal written ones, whatever the blocks; larger than a chunk of the file.
TEST(TableSpill, ColumnsOfAFileGrow)
{
    namespace fs = std::filesystem;
    std::string pattern = (fs::temp_directory_path() / "mixnet-spill-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    const std::string path = pattern + "/grown.h5";
    {
        Hdf5Writer writer(path);
        writer.Append(Block(0, 70000));
        writer.Append(Block(70000, 1));
        writer.Append(Block(70001, 69999));
        writer.Commit();
    }
    const Hdf5Reader reader(path);
    std::vector<uint64_t> expected(140000);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(reader.ReadColumn<uint64_t>("/long/wide"), expected);
    EXPECT_EQ(reader.ReadColumn<uint64_t>("/long/narrow"), expected);
    EXPECT_LT(fs::file_size(path), 500000U) << "compressed: 12 B a row otherwise";
    fs::remove_all(pattern);
}

} // namespace

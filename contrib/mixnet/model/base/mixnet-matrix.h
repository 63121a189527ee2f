/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_MATRIX_H
#define MIXNET_MATRIX_H

#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Dense row-major matrix.
 *
 * @tparam T element type
 */
template <class T>
class Matrix
{
  public:
    Matrix() = default;

    /**
     * @param rows number of rows
     * @param columns number of columns
     * @param value initial value of every element
     */
    Matrix(std::size_t rows, std::size_t columns, T value = T())
        : m_rows(rows),
          m_columns(columns),
          m_data(rows * columns, value)
    {
    }

    /// @return number of rows
    std::size_t Rows() const
    {
        return m_rows;
    }

    /// @return number of columns
    std::size_t Columns() const
    {
        return m_columns;
    }

    /// @param row row @param column column @return the element
    T& operator()(std::size_t row, std::size_t column)
    {
        return m_data[row * m_columns + column];
    }

    /// @param row row @param column column @return the element
    const T& operator()(std::size_t row, std::size_t column) const
    {
        return m_data[row * m_columns + column];
    }

    /// @return all elements, row by row
    std::vector<T>& Data()
    {
        return m_data;
    }

    /// @return all elements, row by row
    const std::vector<T>& Data() const
    {
        return m_data;
    }

    friend bool operator==(const Matrix& a, const Matrix& b)
    {
        return a.m_rows == b.m_rows && a.m_columns == b.m_columns && a.m_data == b.m_data;
    }

    friend bool operator!=(const Matrix& a, const Matrix& b)
    {
        return !(a == b);
    }

  private:
    std::size_t m_rows{0};    //!< number of rows
    std::size_t m_columns{0}; //!< number of columns
    std::vector<T> m_data;    //!< elements, row by row
};

} // namespace ns3

#endif // MIXNET_MATRIX_H

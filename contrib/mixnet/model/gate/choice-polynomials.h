/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_CHOICE_POLYNOMIALS_H
#define MIXNET_CHOICE_POLYNOMIALS_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * The loops of TopKChoice over coefficients x^0 to x^k of polynomials, compiled for the usual k:
 * the loops are short, and most of what a fit does. Each k does the same operations in the same
 * order, so that what is compiled changes no digit.
 *
 * A product of groups is [y][x]: rows of k + 1 coefficients, for y groups that were chosen from, up
 * to the group limit.
 */
struct ChoicePolynomials
{
    /**
     * Multiply by 1 + odds x, expert by expert.
     *
     * @param k largest power
     * @param odds by expert
     * @param n experts
     * @param before polynomial, and room behind it for n more: those after each expert
     */
    void (*extend)(uint32_t k, const double* odds, uint32_t n, double* before);

    /**
     * The way back: from what the coefficients after the last expert add to the total to what those
     * before the first one do.
     *
     * @param k largest power
     * @param odds by expert
     * @param n experts
     * @param before polynomials of extend()
     * @param after weights behind the last expert, preceded by room for n more
     * @param chosen out, by expert: total of the choices that have it, over its odds
     */
    void (*weigh)(uint32_t k,
                  const double* odds,
                  uint32_t n,
                  const double* before,
                  double* after,
                  double* chosen);

    /**
     * Multiply a product of groups by 1 + y (a - 1).
     *
     * @param k largest power
     * @param limit largest power of y
     * @param a polynomial of a group
     * @param from product before
     * @param to product after
     */
    void (*multiplyGroup)(uint32_t k,
                          uint32_t limit,
                          const double* a,
                          const double* from,
                          double* to);

    /**
     * @param k largest power
     * @param limit largest power of y
     * @param upTo product of the groups before one
     * @param from what the coefficients of the product with it add to the total
     * @param weight out: what its own coefficients add
     */
    void (*weighGroup)(uint32_t k,
                       uint32_t limit,
                       const double* upTo,
                       const double* from,
                       double* weight);

    /**
     * @param k largest power
     * @param limit largest power of y
     * @param a polynomial of a group
     * @param next what the coefficients of the product with it add to the total
     * @param from out: what those of the product without it add
     */
    void (
        *weighFrom)(uint32_t k, uint32_t limit, const double* a, const double* next, double* from);

    /// @param k largest power @return its loops
    static const ChoicePolynomials& For(uint32_t k);
};

} // namespace ns3

#endif // MIXNET_CHOICE_POLYNOMIALS_H

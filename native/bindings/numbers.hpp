// Vectors that are handed over to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/border.hpp"
#include "counts/occupancy.hpp"

namespace blocklda {

template <class T>
using Handed = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands a vector over to Python, which frees it.
template <class T>
Handed<T> numbers_of(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Handed<T>(kept->data(), {kept->size()}, owner);
}

// How full the cells of an assignment are, in the order in which Python takes it.
inline nb::tuple handed_cells(CountedCells&& counted) {
    auto& [cells, documents] = counted;
    return nb::make_tuple(numbers_of(std::move(cells.docs)), numbers_of(std::move(cells.words)),
                          numbers_of(std::move(cells.topics)),
                          numbers_of(std::move(documents.offsets)),
                          numbers_of(std::move(documents.above)));
}

}  // namespace blocklda

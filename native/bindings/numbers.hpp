// Vectors that are handed over to Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/border.hpp"

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

}  // namespace blocklda

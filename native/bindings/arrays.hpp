// NumPy arrays at the border: those of one call, and those that an object keeps for many.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace blocklda {

namespace nb = nanobind;

template <class T>
using Flat = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Tables = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

inline void require(bool holds, const char* message) {
    if (!holds) throw nb::value_error(message);
}

// A view into bytes may begin anywhere, and vector loops trust that numbers do not.
template <class... Arrays>
void require_aligned(const Arrays&... arrays) {
    require(
        ((reinterpret_cast<std::uintptr_t>(arrays.data()) % sizeof(*arrays.data()) == 0) && ...),
        "arrays must be aligned");
}

template <class Array>
std::int64_t length(const Array& array, std::size_t axis = 0) {
    return static_cast<std::int64_t>(array.shape(axis));
}

// Whether nobody can write to an array, nor make it writable by `setflags`: its memory is seen
// through a read-only memoryview, as `blocklda.support.arrays.sealed` leaves it, and no array on
// the way to its owner is writable.
bool is_sealed(nb::handle array);

// An array together with the object it came from.
template <class Array>
struct Given {
    Array array;
    nb::object source;
};

// An array that is checked once and read by many calls: what was checked must stay as it was. Where
// that is not certain a private copy is kept.
template <class Array>
class Kept {
  public:
    explicit Kept(Given<Array>&& given) : data_(given.array.data()) {
        require_aligned(given.array);
        for (std::size_t axis = 0; axis < given.array.ndim(); ++axis) {
            shape_[axis] = given.array.shape(axis);
        }
        if (is_sealed(given.source)) {
            owner_ = std::move(given.array);
        } else {
            copy_.assign(data_, data_ + given.array.size());
            data_ = copy_.data();
        }
    }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

    const auto* data() const { return data_; }
    std::size_t shape(std::size_t axis) const { return shape_[axis]; }

  private:
    using Number = std::remove_const_t<typename Array::Scalar>;

    const Number* data_;
    std::size_t shape_[2] = {};
    Array owner_;
    std::vector<Number> copy_;
};

template <class T>
using KeptFlat = Kept<Flat<const T>>;
template <class T>
using KeptTable = Kept<Table<const T>>;
template <class T>
using GivenFlat = Given<Flat<const T>>;
template <class T>
using GivenTable = Given<Table<const T>>;

}  // namespace blocklda

namespace nanobind::detail {

template <class Array>
struct type_caster<blocklda::Given<Array>> {
    using ArrayCaster = make_caster<Array>;
    NB_TYPE_CASTER(blocklda::Given<Array>, ArrayCaster::Name)

    bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
        ArrayCaster caster;
        if (!caster.from_python(source, flags, cleanup)) return false;
        value.array = std::move(caster.value);
        value.source = borrow(source);
        return true;
    }
};

}  // namespace nanobind::detail

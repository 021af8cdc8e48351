// A zeroed, cache-line aligned array that only grows.
#pragma once

#include <cstdint>
#include <cstring>
#include <new>

namespace blocklda::BLOCKLDA_ISA {

// Not std::vector: its out-of-line template code would be shared between instruction sets.
template <class T>
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::int64_t size) { reset(size); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { release(); }

    // At least `size` zeros; returns false if the present array is large enough and was kept.
    bool reserve(std::int64_t size) {
        if (size <= size_) return false;
        reset(size);
        return true;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::int64_t i) { return data_[i]; }
    const T& operator[](std::int64_t i) const { return data_[i]; }

  private:
    static constexpr std::align_val_t kAlignment{64};

    void release() {
        if (data_ != nullptr) ::operator delete(data_, kAlignment);
        data_ = nullptr;
        size_ = 0;
    }

    void reset(std::int64_t size) {
        release();
        if (size > PTRDIFF_MAX / static_cast<std::int64_t>(sizeof(T))) throw std::bad_alloc();
        const auto bytes = static_cast<std::size_t>(size) * sizeof(T);
        data_ = static_cast<T*>(::operator new(bytes == 0 ? 1 : bytes, kAlignment));
        std::memset(static_cast<void*>(data_), 0, bytes);
        size_ = size;
    }

    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

}  // namespace blocklda::BLOCKLDA_ISA

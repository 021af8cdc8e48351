// Work in several threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace blocklda {

// Does `work(i)` for every i below n, in some threads of which one is the caller's; they begin in
// the order of i. What is thrown in any of them is thrown here, after all have ended.
template <class Work>
void in_threads(std::int64_t n_threads, std::int64_t n, const Work& work) {
    struct Others {
        std::vector<std::thread> threads;
        ~Others() {
            for (std::thread& thread : threads) thread.join();
        }
    };
    std::atomic<std::int64_t> next{0};
    std::mutex to_fail;
    std::exception_ptr failure;
    const auto take_turns = [&] {
        try {
            for (std::int64_t i = next++; i < n; i = next++) work(i);
        } catch (...) {
            const std::lock_guard<std::mutex> alone(to_fail);
            failure = std::current_exception();
        }
    };
    {
        Others others;
        others.threads.reserve(static_cast<std::size_t>(n_threads));
        try {
            for (std::int64_t t = 1; t < n_threads; ++t) others.threads.emplace_back(take_turns);
        } catch (const std::system_error&) {
            // As many threads as the system allows: what they do not do, the others do.
        }
        take_turns();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace blocklda

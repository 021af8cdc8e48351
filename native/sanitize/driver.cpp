// Every kernel of every build on made-up corpora, without Python in the process: `make sanitize`.
// Fails if a kernel does, if builds disagree, or if a sanitizer has something to report.
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "builds/dispatch.hpp"
#include "counts/concentrations.hpp"
#include "counts/occupancy.hpp"
#include "counts/topic_histograms.hpp"
#include "sanitize/every_kernel.hpp"

namespace blocklda::sanitize {
namespace {

// Lanes are 8 topics, of a start 16: around them, and far above, lie the ends of padded rows. Few
// tokens, many in one block, and no tokens at all.
const Shape kShapes[] = {
    {0, 3, 2, 0.5, 2},     {3, 0, 2, 0.5, 2},    {1, 1, 1, 1.0, 1},    {4, 3, 1, 0.7, 5},
    {5, 4, 2, 0.6, 3},     {6, 9, 7, 0.5, 4},    {7, 5, 8, 0.6, 30},   {5, 8, 9, 0.5, 3},
    {9, 6, 15, 0.5, 9},    {6, 7, 16, 0.6, 20},  {8, 5, 17, 0.6, 20},  {6, 5, 31, 0.8, 60},
    {5, 7, 33, 0.5, 3},    {4, 6, 65, 0.7, 12},  {3, 5, 200, 0.8, 9},  {2, 3, 1000, 1.0, 5},
    {1, 2, 20000, 1.0, 4}, {30, 40, 24, 0.2, 3}, {2, 2, 5, 1.0, 1500}, {40, 3, 130, 0.9, 2},
};
const Shape kFewShapes[] = {
    {0, 3, 2, 0.5, 2},   {3, 0, 2, 0.5, 2},   {1, 1, 1, 1.0, 1},   {6, 9, 7, 0.5, 4},
    {4, 5, 17, 0.6, 18}, {2, 4, 140, 0.8, 9}, {1, 2, 5, 1.0, 900},
};

template <std::size_t n>
std::vector<Case> cases_of(const Shape (&shapes)[n]) {
    constexpr std::int64_t kNoLimit = std::int64_t{1} << 31;
    std::vector<Case> cases;
    std::uint64_t seed = 1;
    for (const Shape& shape : shapes) {
        for (const bool is_even : {true, false}) {
            for (const double level : {1e-10, 0.1, 50.0, 1e6}) {
                cases.push_back({shape, is_even, level, false, kNoLimit, 40, seed++});
                cases.push_back({shape, is_even, level, false, 2, 2, seed++});
            }
            for (const double level : {1e-300, 1e300}) {
                cases.push_back({shape, is_even, level, true, kNoLimit, 40, seed++});
            }
        }
    }
    return cases;
}

void run_builds(const Case& made, const Corpus& corpus, const Priors& priors) {
    const auto n_tokens = static_cast<std::int64_t>(corpus.topics.size());
    const CountedCells counted = count_cells(corpus.view(), corpus.topics.data(), priors.n_topics);
    const TopicHistograms above =
        topic_histograms(corpus.view(), corpus.topics.data(), priors.n_topics);
    require(counted.documents.offsets == above.offsets && counted.documents.above == above.above,
            "documents are counted in two ways", made);
    std::vector<double> n_vk(static_cast<std::size_t>(corpus.view().n_words * priors.padded));
    const bool are_counted =
        concentrations(corpus.by_word(), corpus.topics.data(), priors.n_topics, nullptr, 0,
                       {0, corpus.view().n_words, n_vk.data(), priors.padded});
    const double n_counted = std::accumulate(n_vk.begin(), n_vk.end(), 0.0);
    require(are_counted && n_counted == static_cast<double>(n_tokens), "a token is missing", made);
    const auto builds = usable_tables();
    const Results first = EveryKernel(*builds.front(), made, corpus, priors).run();
    for (std::size_t i = 1; i < builds.size(); ++i) {
        require(EveryKernel(*builds[i], made, corpus, priors).run() == first,
                std::string(builds[i]->isa) + " differs from the plain build", made);
    }
}

// As chains in threads do: each with a state of its own, all with the same corpus and priors.
void run_case(const Case& made, int n_threads) {
    Random random{made.seed};
    const Corpus corpus(made.shape, random);
    const Priors priors(made.shape, made.has_even_priors, made.level, random);
    std::vector<std::thread> others;
    for (int i = 1; i < n_threads; ++i) {
        others.emplace_back([&] { run_builds(made, corpus, priors); });
    }
    run_builds(made, corpus, priors);
    for (std::thread& other : others) other.join();
}

// What a sanitizer must find inside a kernel; a run that ends well shows that none is at work.
int run_wrong(const std::string& fault) {
    const Case made{{4, 6, 9, 1.0, 5}, true, 0.1, true, 8, 40, 1};
    Random random{made.seed};
    Corpus corpus(made.shape, random);
    const Priors priors(made.shape, made.has_even_priors, made.level, random);
    const KernelTable& kernels = *usable_tables().back();
    if (fault == "short-table") {
        const auto phi = random_rows(made.shape.n_words, 9, 16, random);
        const auto theta = random_rows(made.shape.n_docs - 1, 9, 16, random);
        kernels.augmented(corpus.view(), theta.data(), phi.data(), 16, random.view(),
                          corpus.topics.data());
    } else if (fault == "no-number") {
        const Rng no_numbers{nullptr,
                             [](void*) { return std::numeric_limits<double>::quiet_NaN(); }};
        DenseTable table;
        const DenseCounts counts =
            table.count(corpus.view(), corpus.topics.data(), priors.view().padded);
        kernels.single_site(corpus.view(), priors.view(), no_numbers, counts, corpus.topics.data(),
                            1, true, nullptr);
    } else if (fault == "shared-topics") {
        const auto sweep = [&] {
            Random own{made.seed};
            DenseTable table;
            const DenseCounts counts =
                table.count(corpus.view(), corpus.topics.data(), priors.view().padded);
            kernels.single_site(corpus.view(), priors.view(), own.view(), counts,
                                corpus.topics.data(), 50, true, nullptr);
        };
        std::thread other(sweep);
        sweep();
        other.join();
    } else {
        std::fprintf(stderr, "no fault is called %s\n", fault.c_str());
        return 2;
    }
    return 0;
}

int run_all(bool is_quick, int n_threads) {
    const std::vector<Case> cases = is_quick ? cases_of(kFewShapes) : cases_of(kShapes);
    for (const Case& made : cases) run_case(made, n_threads);
    std::string builds;
    for (const KernelTable* kernels : usable_tables()) builds += std::string(" ") + kernels->isa;
    std::printf("%zu settings, threads: %d, builds:%s: every kernel ended well\n", cases.size(),
                n_threads, builds.c_str());
    return 0;
}

}  // namespace
}  // namespace blocklda::sanitize

int main(int argc, char** argv) {
    using namespace blocklda::sanitize;
    const std::string what = argc > 1 ? argv[1] : "all";
    if (argc > 2 && what == "wrong") return run_wrong(argv[2]);
    if (argc == 2 && what == "quick") return run_all(true, 1);
    if (argc == 2 && what == "threads") return run_all(true, 3);
    if (argc == 2 && what == "all") return run_all(false, 1);
    std::fprintf(stderr, "usage: driver all | quick | threads | wrong FAULT\n");
    return 2;
}

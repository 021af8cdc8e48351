// What a kernel is given: plain views of arrays that Python owns, checked at the border.
#pragma once

#include <cstdint>

namespace blocklda {

// A corpus as compressed rows. Entry e of document d (doc_offsets[d] <= e < doc_offsets[d+1]) says
// that word word_ids[e] occurs counts[e] times: these tokens are the block B_dv of the paper.
struct CorpusView {
    const std::int64_t* doc_offsets;
    const std::int32_t* word_ids;
    const std::int32_t* counts;
    std::int64_t n_docs;
    std::int64_t n_words;
};

// Dirichlet priors. Rows are padded with zeros to `padded` topics, so that vector loops may run to
// the end of a row. When beta_stride is 0 the word prior is beta[0] for every word and topic.
struct PriorsView {
    const double* alpha;
    const double* beta;
    std::int64_t beta_stride;
    const double* beta_sum;
    std::int64_t n_topics;
    std::int64_t padded;
};

// The same priors in single precision, for a start. Rows are padded to 16 topics: alpha with zeros,
// so that padding weighs nothing, and beta_sum with ones, so that nothing is divided by zero.
struct StartPriorsView {
    const float* alpha;
    const float* beta;
    std::int64_t beta_stride;
    const double* beta_sum;
    std::int64_t n_topics;
    std::int64_t padded;
};

// One variational pass. When its i-th document comes, all counts are scales[i] times what the table
// holds; the document then adds gains[i] times its own.
struct StartPass {
    const std::int64_t* order;
    const float* gains;
    const float* scales;
    std::int64_t n_docs;
    std::int64_t n_refine;
};

// NumPy's bit generator, through the C interface that its capsule carries.
struct Rng {
    void* state;
    double (*next_double)(void*);
};

// FFT convolution of n_pairs pairs of polynomials with n_coefs coefficients each, one after
// another in memory. It lives outside the kernels; false means that it failed.
struct FftConvolver {
    void* context;
    bool (*convolve)(void* context, const double* left, const double* right, double* out,
                     std::int64_t n_pairs, std::int64_t n_coefs);
};

struct BlockOptions {
    std::int64_t max_block;  // larger blocks are cut into random sub-blocks of this many tokens
    std::int64_t fft_from;   // blocks of this many tokens or more are convolved by FFT
    FftConvolver fft;
};

// How a call ended. A failure names the entry of the corpus at which the weights were no numbers.
struct Outcome {
    std::int64_t steps = 0;  // simulation steps, as the paper counts them
    std::int64_t failed_entry = -1;
};

}  // namespace blocklda

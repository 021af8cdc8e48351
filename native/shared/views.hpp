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

// The corpus by rows of one axis, documents or words, with the numbers of the other axis as
// `minor_ids`. `starts` says where the tokens of each entry lie; when it is null they lie in the
// order of the entries.
struct MajorView {
    const std::int64_t* offsets;
    const std::int32_t* minor_ids;
    const std::int32_t* counts;
    const std::int32_t* starts;
    std::int64_t n_rows;
    std::int64_t n_minor;
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

// The priors as seen from the axis whose rows are visited. With documents as rows `own` is alpha
// and `other` beta; with words as rows they change places. `own_stride` is 0 when all rows share
// one prior; `other` is the same for all rows of its axis, but for the factor that new topics may
// have for each of them. For a sweep over one group of words `beta_sum` is over the group, and
// masses[k] is the part of topic k that lies in it.
struct AxisPriors {
    const double* own;
    std::int64_t own_stride;
    const double* other;
    const double* beta_sum;
    std::int64_t n_topics;
    std::int64_t padded;
    const double* masses = nullptr;
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
    std::int64_t sixteenths = 16;  // of the power of the words' part, in annealed sweeps
};

struct SparseOptions {
    std::int64_t max_block;    // larger blocks are cut into random parts of this many tokens
    const double* one_by_one;  // for each sweep the share of blocks whose tokens go one by one
    // Blocks whose list has so many tokens outside of them are drawn token after token in parts of
    // `sequential_block` at most; 1 for none.
    std::int64_t sequential_block = 1;
    std::int64_t sequential_from = 0;
    bool notes_cells = false;  // the last sweep notes the cells of its rows
};

// Topics in slots, each with its part tau of a stick of length 1, and what is left of the stick for
// topics that nobody has yet. alpha[k] is alpha0 tau[k]. A slot that is free has the number -1 and
// no part; a slot in use has the number of its topic's birth. The prior of word v is beta[v], or
// beta[0] for all words if beta_stride is 0; beta_sum is over the vocabulary.
struct StickView {
    double* tau;
    double* alpha;
    std::int64_t* numbers;
    std::int64_t n_slots;
    const double* beta;
    std::int64_t beta_stride;
    double beta_sum;
    double alpha0;
    double gamma;
    double rest;
    std::int64_t n_born;
    bool is_full = false;  // a topic was born and no slot was free: the call has no result

    double beta_of(std::int64_t word) const { return beta[word * beta_stride]; }
};

// Documents first, first + every, first + 2 every, ...; none if every is 0.
struct EveryNth {
    std::int64_t first;
    std::int64_t every;

    bool has(std::int64_t d) const { return every > 0 && d % every == first; }
    bool operator==(const EveryNth&) const = default;
};

// Cells of a count table by their number of tokens: small[k * kSmallCell + n] of topic k hold
// 0 < n < kSmallCell tokens, and each of the others has a topic and a number in `large`.
inline constexpr std::int64_t kSmallCell = 64;
struct CellsView {
    const std::int32_t* small;
    const std::int32_t* large;
    std::int64_t n_large;
};

// Where a sweep notes cells so, for padded topics; empty cells may be noted in small[k *
// kSmallCell]. All of `small` is 0 at first, and `large` has room for every cell of kSmallCell
// tokens.
struct CellNotes {
    std::int32_t* small;
    std::int32_t* large;
    std::int64_t n_large;
};

// The table n_vk, whose rows are padded, and the totals n_k. The table has 16 bits a count where no
// word has more tokens than these can count, and else 32; the other pointer is null.
struct DenseCounts {
    std::uint16_t* n_vk_16;
    std::int32_t* n_vk_32;
    std::int32_t* n_k;
};

// The cells of n_dk, those of n_vk as if they were all of topic 0, and n_k, which the last of some
// sweeps notes.
struct DenseNotes {
    CellNotes docs;
    CellNotes words;
    std::int32_t* totals;
};

// The cells of both axes of a corpus by rows, and n_k.
struct SparseCells {
    CellsView rows;
    CellsView minors;
    const std::int32_t* totals;
};

// The topics of some neighbouring rows of an axis: row j, from `first` to `end` - 1, has counts[i]
// > 0 tokens of topics[i] for offsets[j - first] <= i < offsets[j - first + 1], with topics
// ascending.
struct ListedRows {
    std::int64_t first;
    std::int64_t end;
    const std::int64_t* offsets;
    const std::int32_t* topics;
    const std::int32_t* counts;

    // The tokens of a row, or `most` if it has more.
    std::int64_t n_tokens_up_to(std::int64_t j, std::int64_t most) const {
        std::int64_t n = 0;
        for (std::int64_t i = offsets[j - first]; i < offsets[j - first + 1] && n < most; ++i) {
            n += counts[i];
        }
        return n < most ? n : most;
    }
};

// A part of the corpus by rows: of some neighbouring rows the entries with some neighbouring
// numbers of the other axis, which ascend in every row. `row_tokens` is the number of tokens before
// each row, or null where the corpus tells the first token of every entry.
struct CellView {
    std::int64_t first_row;
    std::int64_t end_row;
    std::int64_t first_minor;
    std::int64_t end_minor;
    const std::int64_t* row_tokens;
};

// One group of words: for each topic the sum of beta over its words, the topic's mass in it, and
// its tokens there, which draws change.
struct GroupView {
    const double* beta_sum;
    const double* masses;
    std::int32_t* totals;
};

// The first entry of a document that comes next, and its first token.
struct DocumentCursor {
    std::int64_t entry;
    std::int64_t token;
};

// Some neighbouring documents, and of their entries those of some neighbouring words, which ascend
// in every document. `doc_tokens` is the number of tokens before each document. The cursors of
// these documents stand at their first entries of these words, or anywhere if the words are the
// first of all; the cell moves them on. `n_dk` and n_vk, in one of two types, have a row of topics
// for each document and word of the corpus; `n_dk` may be null. `shuffles`: the order of an entry's
// tokens may tell their topics.
struct DenseCellView {
    std::int64_t first_doc;
    std::int64_t end_doc;
    std::int64_t first_word;
    std::int64_t end_word;
    const std::int64_t* doc_tokens;
    DocumentCursor* cursors;
    std::int32_t* n_dk;
    std::uint16_t* n_vk_16;
    std::int32_t* n_vk_32;
    GroupView group;
    bool shuffles;
};

// One document, and phi of the words it is made of: phi_kv is phi[words[e] * padded + k] for entry
// e.
struct NewDocument {
    const std::int32_t* words;
    const std::int32_t* counts;
    std::int64_t n_entries;
    std::int64_t n_tokens;
    const double* phi;
    std::int64_t padded;

    const double* phi_of(std::int64_t e) const { return phi + words[e] * padded; }
};

struct FoldInOptions {
    std::int64_t n_phi;        // tables phi, one after another in memory
    std::int64_t n_rows;       // words in each
    std::int64_t n_sweeps;     // of each chain, for each phi
    std::int64_t burn_in;      // of them, at the start, those that are not averaged
    std::int64_t most_states;  // of a document whose theta is summed without a draw
};

// phi of all words, phi_kv at phi[v * padded + k], and the sums over topics of alpha_k phi_kv^j at
// alpha_powers[v * powers_stride + j - 1], for every j up to the largest block of the word.
struct PhiView {
    const double* phi;
    const double* alpha;
    const double* alpha_powers;
    std::int64_t powers_stride;
    std::int64_t padded;
};

// The entries of some documents ordered by word, each with its document and its first token.
struct ByWordView {
    const std::int32_t* entries;
    const std::int32_t* docs;
    const std::int32_t* starts;
};

// A mixture of multinomials, and the order in which its documents are visited: kind i has the
// documents docs[kind_offsets[i]], ..., which all have the same words. Components have slots: each
// a given number of them, or of a Dirichlet process one for every document.
struct MixtureView {
    const double* beta;  // of each word
    double beta_sum;
    double alpha;
    bool is_finite;
    std::int64_t n_slots;
    const std::int32_t* docs;
    const std::int64_t* kind_offsets;
    std::int64_t n_kinds;
    std::int64_t max_block;  // larger kinds are visited in parts of this many documents
    std::int64_t n_born;     // components that were born before
};

// How a call ended. A failure names the entry of the corpus at which the weights were no numbers.
struct Outcome {
    std::int64_t steps = 0;  // simulation steps, as the paper counts them
    std::int64_t failed_entry = -1;
    std::int64_t n_undecided = 0;  // draws that single precision left to doubles
};

// A token of topic `old` among counts that it is part of: of its document, its word and all.
struct TokenView {
    const std::int32_t* n_d;
    const std::int32_t* n_v;
    const std::int32_t* n_k;
    std::int64_t word;
    std::int32_t old;
};

// The topic that single precision certifies, or -1; and the one that doubles define, or -2 if the
// weights are no numbers.
struct TokenTopics {
    std::int32_t certified;
    std::int32_t defined;
};

// How a move between sweeps ended.
struct MoveOutcome {
    std::int64_t steps = 0;
    std::int64_t failed_entry = -1;
    bool is_accepted = false;
    double log_ratio = 0.0;  // the log of the acceptance ratio
};

// How a sweep of a mixture ended: a failure names the first document of the block at which the
// weights were no numbers.
struct MixtureOutcome {
    std::int64_t steps;
    std::int64_t failed_doc;
    std::int64_t n_born;  // components that were born so far
};

struct ElementaryValues {
    double log;
    double exp_minus;
    double log_gamma;
};

}  // namespace blocklda

/* The loss of a sum of disc games over pairs of players, with its derivatives, in one pass over the pairs.

   `transitivity.fitting.pairs` calls these functions and describes their arguments. Pairs i < j are sorted by i; those of
   row i have the numbers starts[i] to starts[i + 1] - 1. `columns` holds the j of each pair, or is null: then all pairs
   exist, and the j of row i are i + 1 to n - 1. Matrices of n rows are stored column by column where `columns` is null,
   because a whole column is then read in order, and row by row otherwise. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One version for each vector width; the loader picks the one for the processor at hand. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

#define INLINE static inline __attribute__((always_inline))

/* Pairs processed at once: their scores fit the L1 cache, and the product of CHUNK factors up to 2 is finite. */
enum { CHUNK = 1000 };

/* How many pairs ahead the row of player j is prefetched: with many players it is not in the cache. `columns` has this
   many entries of padding after the last pair. */
enum { AHEAD = 32 };

enum { CROSS_ENTROPY, SQUARED_SIGMOID, SQUARED_LINEAR };

/* ---------------------------------------------------------------- functions of one number */

/* exp(y) for y <= 0: 2^k times the Taylor polynomial of exp(y - k ln 2). */
INLINE double exp_negative(double y)
{
    /* Adding it rounds to an integer, which is in the last bits. */
    const double magic = 0x1.8p52;
    double rounded, r, r2, r4, sum;
    uint64_t k, bits;
    y = y < -700.0 ? -700.0 : y;
    rounded = y * 1.4426950408889634 + magic;
    memcpy(&k, &rounded, sizeof k);
    rounded -= magic;
    r = (y - rounded * 0x1.62e42fefap-1) - rounded * 0x1.cf79abc9e3b39p-40;
    r2 = r * r;
    r4 = r2 * r2;
    /* Short chains of operations can run in parallel. */
    sum = (1.0 / 40320.0 + r * (1.0 / 362880.0)) + r2 * (1.0 / 3628800.0 + r * (1.0 / 39916800.0))
          + r4 * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0));
    sum = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5040.0)) + r4 * sum;
    sum = (1.0 + r) + r2 * (0.5 + r * (1.0 / 6.0)) + r4 * sum;
    memcpy(&bits, &sum, sizeof bits);
    bits += k << 52;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

/* log(z) for 1 <= z <= 2, by the series of the inverse hyperbolic tangent around the root of 2. */
INLINE double log_up_to_2(double z)
{
    double t = (z - 1.4142135623730951) / (z + 1.4142135623730951), square = t * t, sum = 1.0 / 21.0;
    sum = sum * square + 1.0 / 19.0;
    sum = sum * square + 1.0 / 17.0;
    sum = sum * square + 1.0 / 15.0;
    sum = sum * square + 1.0 / 13.0;
    sum = sum * square + 1.0 / 11.0;
    sum = sum * square + 1.0 / 9.0;
    sum = sum * square + 1.0 / 7.0;
    sum = sum * square + 1.0 / 5.0;
    sum = sum * square + 1.0 / 3.0;
    sum = sum * square + 1.0;
    return 0.34657359027997264 + 2.0 * t * sum;
}

/* ---------------------------------------------------------------- losses of a chunk of pairs */

/* Each returns the sum of the losses; x has the scores, and then the slopes in them. */

INLINE double cross_entropy(int m, const double *restrict p, double *restrict x, double *restrict curvature)
{
    double total = 0.0, product = 1.0;
    /* log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)): one logarithm does for all. */
#pragma omp simd reduction(+ : total) reduction(* : product)
    for (int c = 0; c < m; c++) {
        double e = exp_negative(-fabs(x[c])), share = 1.0 / (1.0 + e);
        product *= 1.0 + e;
        total += (x[c] > 0.0 ? x[c] : 0.0) - p[c] * x[c];
        x[c] = (x[c] > 0.0 ? share : e * share) - p[c];
        if (curvature)
            curvature[c] = e * share * share;
    }
    return total + log(product);
}

INLINE double weighted_cross_entropy(int m, const double *restrict p, const double *restrict weights,
                                     double *restrict x, double *restrict curvature)
{
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (int c = 0; c < m; c++) {
        double e = exp_negative(-fabs(x[c])), share = 1.0 / (1.0 + e);
        total += weights[c] * ((x[c] > 0.0 ? x[c] : 0.0) - p[c] * x[c] + log_up_to_2(1.0 + e));
        x[c] = weights[c] * ((x[c] > 0.0 ? share : e * share) - p[c]);
        if (curvature)
            curvature[c] = weights[c] * (e * share * share);
    }
    return total;
}

INLINE double squared_sigmoid(int m, const double *restrict p, const double *restrict weights, double *restrict x,
                              double *restrict curvature)
{
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (int c = 0; c < m; c++) {
        double weight = weights ? weights[c] : 1.0, e = exp_negative(-fabs(x[c])), share = 1.0 / (1.0 + e);
        double sigmoid = x[c] > 0.0 ? share : e * share, residual = sigmoid - p[c], spread = e * share * share;
        total += weight * (0.5 * residual * residual);
        x[c] = weight * (residual * spread);
        if (curvature)
            curvature[c] = weight * (spread * ((1.0 - 2.0 * sigmoid) * residual + spread));
    }
    return total;
}

INLINE double squared_linear(int m, const double *restrict p, const double *restrict weights, double *restrict x,
                             double *restrict curvature)
{
    double total = 0.0;
#pragma omp simd reduction(+ : total)
    for (int c = 0; c < m; c++) {
        double weight = weights ? weights[c] : 1.0, residual = x[c] - (p[c] - 0.5);
        total += weight * (0.5 * residual * residual);
        x[c] = weight * residual;
        if (curvature)
            curvature[c] = weight;
    }
    return total;
}

/* Compiled once for each case, so that no loop tests which arrays are null. */
#define KNOWING_WEIGHTS(f) (weights ? KNOWING_CURVATURE(f, weights) : KNOWING_CURVATURE(f, NULL))
#define KNOWING_CURVATURE(f, weights) (curvature ? f(m, p, weights, x, curvature) : f(m, p, weights, x, NULL))

INLINE double losses(int loss, int m, const double *p, const double *weights, double *x, double *curvature)
{
    if (loss == SQUARED_LINEAR)
        return KNOWING_WEIGHTS(squared_linear);
    if (loss == SQUARED_SIGMOID)
        return KNOWING_WEIGHTS(squared_sigmoid);
    if (weights)
        return KNOWING_CURVATURE(weighted_cross_entropy, weights);
    return curvature ? cross_entropy(m, p, x, curvature) : cross_entropy(m, p, x, NULL);
}

/* ---------------------------------------------------------------- pairs of one row */

/* Some pairs of row i: m of them, from the pair number `pair` on. */
typedef struct {
    int64_t i, pair;
    int m;
} Run;

/* The run that follows pair number `pair`, at most to `end`; it is in row i or a later one. */
INLINE Run run_from(const int64_t *starts, int64_t i, int64_t pair, int64_t end)
{
    while (starts[i + 1] <= pair)
        i++;
    if (starts[i + 1] < end)
        end = starts[i + 1];
    return (Run){i, pair, (int)(end - pair)};
}

/* The compiler unrolls the inner loop where `width` is a constant; hence the calls with 1, 2 and 4 below. */
INLINE void row_scores(const int64_t width, int m, const int32_t *restrict columns, const double *restrict mine,
                       const double *restrict right, double *restrict x)
{
    for (int c = 0; c < m; c++) {
        const double *row = right + width * columns[c];
        __builtin_prefetch(right + width * columns[c + AHEAD]);
        double sum = 0.0;
        for (int64_t l = 0; l < width; l++)
            sum += mine[l] * row[l];
        x[c] = sum;
    }
}

INLINE void row_products(const int64_t width, int m, const int32_t *restrict columns, const double *restrict entries,
                         const double *restrict mine, const double *restrict X, int64_t pitch, double *restrict own,
                         double *restrict out, double sign)
{
    for (int c = 0; c < m; c++) {
        const double entry = entries[c], mirror = sign * entry, *row = X + pitch * columns[c];
        double *to = out + width * columns[c];
        for (int64_t l = 0; l < width; l++) {
            own[l] += entry * row[l];
            to[l] += mirror * mine[l];
        }
    }
}

/* x_c = sum_l left_il right_jl, for an even number of columns. */
INLINE void scores(Run run, int64_t n, const int64_t *starts, const int32_t *columns, int64_t width,
                   const double *restrict left, const double *restrict right, double *restrict x)
{
    if (columns == NULL) {
        right += run.i + 1 + run.pair - starts[run.i];
        if (width != 2)
            memset(x, 0, run.m * sizeof *x);
        for (int64_t l = 0; l < width; l += 2) {
            const double *restrict one = right + l * n, *restrict other = one + n;
            double factor = left[l * n + run.i], other_factor = left[(l + 1) * n + run.i];
            if (width == 2)
                for (int c = 0; c < run.m; c++)
                    x[c] = factor * one[c] + other_factor * other[c];
            else
                for (int c = 0; c < run.m; c++)
                    x[c] += factor * one[c] + other_factor * other[c];
        }
        return;
    }
    columns += run.pair;
    left += run.i * width;
    if (width == 2)
        row_scores(2, run.m, columns, left, right, x);
    else if (width == 4)
        row_scores(4, run.m, columns, left, right, x);
    else
        row_scores(width, run.m, columns, left, right, x);
}

/* out_il += sum_j entry_ij X_jl and out_jl += sign entry_ij X_il. Where X lies row by row, its rows are `pitch` apart:
   it may be some columns of another matrix. */
INLINE void add_products(Run run, int64_t n, const int64_t *starts, const int32_t *columns, int64_t width,
                         const double *restrict entries, const double *restrict X, int64_t pitch,
                         double *restrict out, double sign)
{
    if (columns == NULL) {
        int64_t first = run.i + 1 + run.pair - starts[run.i], l = 0;
        /* Two columns at once halve the passes over the entries. */
        for (; l + 2 <= width; l += 2) {
            const double *restrict one = X + l * n + first, *restrict other = one + n;
            double *restrict to_one = out + l * n + first, *restrict to_other = to_one + n;
            double factor = sign * X[l * n + run.i], other_factor = sign * X[(l + 1) * n + run.i];
            double sum = 0.0, other_sum = 0.0;
#pragma omp simd reduction(+ : sum, other_sum)
            for (int c = 0; c < run.m; c++) {
                sum += entries[c] * one[c];
                other_sum += entries[c] * other[c];
                to_one[c] += factor * entries[c];
                to_other[c] += other_factor * entries[c];
            }
            out[l * n + run.i] += sum;
            out[(l + 1) * n + run.i] += other_sum;
        }
        if (l < width) {
            const double *restrict one = X + l * n + first;
            double *restrict to = out + l * n + first, factor = sign * X[l * n + run.i], sum = 0.0;
#pragma omp simd reduction(+ : sum)
            for (int c = 0; c < run.m; c++) {
                sum += entries[c] * one[c];
                to[c] += factor * entries[c];
            }
            out[l * n + run.i] += sum;
        }
        return;
    }
    columns += run.pair;
    const double *mine = X + run.i * pitch;
    double *own = out + run.i * width;
    if (width == 1)
        row_products(1, run.m, columns, entries, mine, X, pitch, own, out, sign);
    else if (width == 2)
        row_products(2, run.m, columns, entries, mine, X, pitch, own, out, sign);
    else
        row_products(width, run.m, columns, entries, mine, X, pitch, own, out, sign);
}

/* add_products of rows i and i + 1 of a complete payoff: the data of their common opponents is read once. */
INLINE void add_products_of_two_rows(int64_t i, int64_t n, const int64_t *starts, int64_t width,
                                     const double *restrict entries, const double *restrict X, double *restrict out,
                                     double sign)
{
    const double *restrict upper = entries + starts[i] + 1, *restrict lower = entries + starts[i + 1];
    int64_t l = 0;
    add_products((Run){i, starts[i], 1}, n, starts, NULL, width, entries + starts[i], X, width, out, sign);
    for (; l + 2 <= width; l += 2) {
        const double *restrict one = X + l * n + i + 2, *restrict other = one + n;
        double *restrict to_one = out + l * n + i + 2, *restrict to_other = to_one + n;
        double factor = sign * one[-2], lower_factor = sign * one[-1], sum = 0.0, lower_sum = 0.0;
        double other_factor = sign * other[-2], other_lower_factor = sign * other[-1];
        double other_sum = 0.0, other_lower_sum = 0.0;
#pragma omp simd reduction(+ : sum, lower_sum, other_sum, other_lower_sum)
        for (int64_t c = 0; c < n - i - 2; c++) {
            sum += upper[c] * one[c];
            lower_sum += lower[c] * one[c];
            other_sum += upper[c] * other[c];
            other_lower_sum += lower[c] * other[c];
            to_one[c] += factor * upper[c] + lower_factor * lower[c];
            to_other[c] += other_factor * upper[c] + other_lower_factor * lower[c];
        }
        to_one[-2] += sum;
        to_one[-1] += lower_sum;
        to_other[-2] += other_sum;
        to_other[-1] += other_lower_sum;
    }
    for (int64_t row = i; l < width && row < i + 2; row++) {
        Run run = {row, starts[row] + (i + 1 - row), (int)(n - i - 2)};
        add_products(run, n, starts, NULL, 1, entries + run.pair, X + l * n, 1, out + l * n, sign);
    }
}

/* ---------------------------------------------------------------- what Python calls */

/* The checksum of the sources that this was compiled from. */
uint32_t sources_checksum(void)
{
    return SOURCES_CHECKSUM;
}

FOR_EACH_PROCESSOR
double evaluate(int64_t n, const int64_t *starts, const int32_t *columns, int64_t width, const double *left,
                const double *right, int loss, const double *p, const double *weights, const uint8_t *observed,
                int64_t width_out, const double *X, double *out, double *slopes, double *curvatures)
{
    double total = 0.0, x[CHUNK];
    int64_t n_pairs = starts[n], row = 0;
    for (int64_t pair = 0; pair < n_pairs; pair += CHUNK) {
        int64_t end = pair + CHUNK < n_pairs ? pair + CHUNK : n_pairs;
        int m = (int)(end - pair);
        Run run = {row, pair, 0};
        for (int64_t at = pair; at < end; at += run.m) {
            run = run_from(starts, run.i, at, end);
            scores(run, n, starts, columns, width, left, right, x + (at - pair));
        }
        if (observed)
            for (int c = 0; c < m; c++)
                x[c] *= observed[pair + c];
        total += losses(loss, m, p + pair, weights ? weights + pair : NULL, x, curvatures ? curvatures + pair : NULL);
        if (slopes)
            memcpy(slopes + pair, x, m * sizeof *x);
        if (observed && curvatures)
            for (int c = 0; c < m; c++)
                curvatures[pair + c] *= observed[pair + c];
        run.i = row;
        for (int64_t at = pair; at < end; at += run.m) {
            run = run_from(starts, run.i, at, end);
            add_products(run, n, starts, columns, width_out, x + (at - pair), X, width_out, out, -1.0);
        }
        row = run.i;
    }
    return total;
}

FOR_EACH_PROCESSOR
void matrix_product(int64_t n, const int64_t *starts, const int32_t *columns, const double *entries, int64_t width,
                    const double *X, double *out, double sign)
{
    int64_t i = 0;
    if (columns == NULL)
        for (; i + 1 < n; i += 2)
            add_products_of_two_rows(i, n, starts, width, entries, X, out, sign);
    for (; i < n; i++)
        if (starts[i] < starts[i + 1]) {
            Run run = {i, starts[i], (int)(starts[i + 1] - starts[i])};
            add_products(run, n, starts, columns, width, entries + run.pair, X, width, out, sign);
        }
}

FOR_EACH_PROCESSOR
void hessian_product(int64_t n, const int64_t *starts, const int32_t *columns, const double *slopes,
                     const double *curvatures, int64_t width, const double *left, const double *right, double *out)
{
    /* The first half of the columns of `right` is multiplied by the curvatures, the second by the slopes. */
    const double *X = right, *dX = right + (columns ? width : width * n);
    double x[CHUNK];
    int64_t n_pairs = starts[n], row = 0;
    for (int64_t pair = 0; pair < n_pairs;) {
        int64_t end = pair + CHUNK < n_pairs ? pair + CHUNK : n_pairs;
        Run run = run_from(starts, row, pair, end);
        scores(run, n, starts, columns, 2 * width, left, right, x);
        for (int c = 0; c < run.m; c++)
            x[c] *= curvatures[pair + c];
        add_products(run, n, starts, columns, width, x, X, 2 * width, out, -1.0);
        add_products(run, n, starts, columns, width, slopes + pair, dX, 2 * width, out, -1.0);
        row = run.i;
        pair += run.m;
    }
}

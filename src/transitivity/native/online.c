/* Ratings updated game by game: the loops of `transitivity.online`, which says what the arguments are.

   Rating period p has the games from starts[p] to starts[p + 1]; starts being null, every game is a period of its own.
   All games of a period see the state before it. `state` has a row for each player, and so has `changes`, which is all
   zeros before and after, and null where starts is. `forecasts` takes the expected score of a in each game. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

/* Of many players, what belongs to one is far from the processor: it is asked for so many games before its turn. */
enum { AHEAD = 12 };

/* What is counted for each player: games, wins, draws, losses, the sum of its scores and of their expectations. */
enum { GAMES, WINS, DRAWS, LOSSES, SCORE, EXPECTED, N_COUNTS };

INLINE double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

INLINE void count_side(double *counts, double score, double expected)
{
    counts[GAMES] += 1.0;
    counts[WINS] += score > 0.5;
    counts[DRAWS] += score == 0.5;
    counts[LOSSES] += score < 0.5;
    counts[SCORE] += score;
    counts[EXPECTED] += expected;
}

INLINE void ask_for(int64_t g, int64_t n_games, const int64_t *a, const int64_t *b, const double *states,
                    int64_t width, const double *counts)
{
    if (g + AHEAD >= n_games)
        return;
    int64_t next_a = a[g + AHEAD], next_b = b[g + AHEAD];
    __builtin_prefetch(states + next_a * width, 1);
    __builtin_prefetch(states + next_b * width, 1);
    __builtin_prefetch(counts + next_a * N_COUNTS, 1);
    __builtin_prefetch(counts + next_b * N_COUNTS, 1);
}

INLINE void count_game(double *counts_a, double *counts_b, double score, double expected)
{
    count_side(counts_a, score, expected);
    count_side(counts_b, 1.0 - score, 1.0 - expected);
}

/* ---------------------------------------------------------------- Elo */

typedef struct {
    int64_t n_rules;
    /* Rows of three: K holds for fewer games, and a lower rating, than these; the last row has no such limits. */
    const double *rules;
    double scale, floor, initial, advantage;
    /* How far the mean of all who have played is above `initial`; 0 unless ratings are recentred. */
    double offset, sum, active;
    int recentre;
} Elo;

/* State and changes of a player; the changes are sums over the games of a period. */
enum { RATING, VARIANCE, START_WEIGHT, N_ELO };
enum { SURPRISE, INFORMATION, OPPONENTS, N_ELO_CHANGES };

INLINE double elo_k(const Elo *elo, double rating, double games)
{
    const double *rule = elo->rules;
    for (int64_t left = elo->n_rules - 1; left > 0 && !(games < rule[0] && rating < rule[1]); left--)
        rule += 3;
    return rule[2];
}

/* A newcomer starts from the mean that recentring will move to `initial`. */
INLINE double elo_rating(const Elo *elo, const double *state, const double *counts)
{
    return counts[GAMES] == 0.0 ? state[RATING] + elo->offset : state[RATING];
}

INLINE double elo_game(const Elo *elo, double score, const double *state_a, const double *state_b,
                       const double *counts_a, const double *counts_b, double *change_a, double *change_b)
{
    double x = elo_rating(elo, state_a, counts_a) - elo_rating(elo, state_b, counts_b) + elo->advantage;
    double expected = sigmoid(elo->scale * x), weight = expected * (1.0 - expected);
    change_a[SURPRISE] += score - expected;
    change_b[SURPRISE] -= score - expected;
    change_a[INFORMATION] += weight;
    change_b[INFORMATION] += weight;
    change_a[OPPONENTS] += weight * weight * state_b[VARIANCE];
    change_b[OPPONENTS] += weight * weight * state_a[VARIANCE];
    return expected;
}

INLINE void elo_apply(Elo *elo, double *state, const double *counts, double *change)
{
    double before = elo_rating(elo, state, counts);
    double k = elo_k(elo, before - elo->offset, counts[GAMES]);
    double after = before + k * change[SURPRISE], lowest = elo->floor + elo->offset;
    double kept = 1.0 - k * elo->scale * change[INFORMATION];
    after = after < lowest ? lowest : after;
    if (elo->recentre) {
        elo->sum += counts[GAMES] == 0.0 ? after : after - before;
        elo->active += counts[GAMES] == 0.0;
    }
    state[RATING] = after;
    state[VARIANCE] = kept * kept * state[VARIANCE]
                      + k * k * (elo->scale * elo->scale * change[OPPONENTS] + change[INFORMATION]);
    state[START_WEIGHT] *= fabs(kept);
}

/* options: scale, floor, initial, advantage, whether to recentre. */
void online_elo(int64_t n_periods, const int64_t *starts, const int64_t *a, const int64_t *b, const double *score,
                int64_t n_rules, const double *rules, const double *options, int64_t n_players, double *states,
                double *counts, double *changes, double *forecasts)
{
    Elo elo = {n_rules, rules, options[0], options[1], options[2], options[3], 0.0, 0.0, 0.0, options[4] != 0.0};
    for (int64_t i = 0; elo.recentre && i < n_players; i++)
        if (counts[i * N_COUNTS + GAMES] > 0.0) {
            elo.sum += states[i * N_ELO + RATING];
            elo.active += 1.0;
        }
    const int64_t n_games = starts ? starts[n_periods] : n_periods;
    for (int64_t period = 0; period < n_periods; period++) {
        int64_t first = starts ? starts[period] : period, last = starts ? starts[period + 1] : period + 1;
        double own_a[N_ELO_CHANGES] = {0.0}, own_b[N_ELO_CHANGES] = {0.0};
        int is_one = last - first == 1;
        for (int64_t g = first; g < last; g++) {
            ask_for(g, n_games, a, b, states, N_ELO, counts);
            forecasts[g] = elo_game(&elo, score[g], states + a[g] * N_ELO, states + b[g] * N_ELO,
                                    counts + a[g] * N_COUNTS, counts + b[g] * N_COUNTS,
                                    is_one ? own_a : changes + a[g] * N_ELO_CHANGES,
                                    is_one ? own_b : changes + b[g] * N_ELO_CHANGES);
        }
        for (int64_t g = first; g < last; g++) {
            double *counts_a = counts + a[g] * N_COUNTS, *counts_b = counts + b[g] * N_COUNTS;
            double *change_a = is_one ? own_a : changes + a[g] * N_ELO_CHANGES;
            double *change_b = is_one ? own_b : changes + b[g] * N_ELO_CHANGES;
            /* Whose changes are in the state already has played a game, and its changes are zeros. */
            elo_apply(&elo, states + a[g] * N_ELO, counts_a, change_a);
            elo_apply(&elo, states + b[g] * N_ELO, counts_b, change_b);
            for (int c = 0; c < N_ELO_CHANGES; c++)
                change_a[c] = change_b[c] = 0.0;
            count_game(counts_a, counts_b, score[g], forecasts[g]);
        }
        if (elo.recentre)
            elo.offset = elo.sum / elo.active - elo.initial;
    }
    for (int64_t i = 0; elo.recentre && i < n_players; i++)
        if (counts[i * N_COUNTS + GAMES] > 0.0)
            states[i * N_ELO + RATING] -= elo.offset;
}

/* ---------------------------------------------------------------- gradient steps */

INLINE void add_and_clear(double *state, double *change, int64_t n)
{
    for (int64_t c = 0; c < n; c++) {
        state[c] += change[c];
        change[c] = 0.0;
    }
}

/* The paper's Equations 8 and 9; a row of the state is u, v. */
void online_disc(int64_t n_periods, const int64_t *starts, const int64_t *a, const int64_t *b, const double *score,
                 double step, double *states, double *counts, double *changes, double *forecasts)
{
    const int64_t n_games = starts ? starts[n_periods] : n_periods;
    for (int64_t period = 0; period < n_periods; period++) {
        int64_t first = starts ? starts[period] : period, last = starts ? starts[period + 1] : period + 1;
        double own_a[2] = {0.0}, own_b[2] = {0.0};
        int is_one = last - first == 1;
        for (int64_t g = first; g < last; g++) {
            ask_for(g, n_games, a, b, states, 2, counts);
            const double *of_a = states + 2 * a[g], *of_b = states + 2 * b[g];
            double *change_a = is_one ? own_a : changes + 2 * a[g], *change_b = is_one ? own_b : changes + 2 * b[g];
            double difference = of_a[0] - of_b[0], product = of_a[1] * of_b[1];
            double expected = sigmoid(product * difference), surprise = step * (score[g] - expected);
            change_a[0] += surprise * product;
            change_b[0] -= surprise * product;
            change_a[1] += surprise * of_b[1] * difference;
            change_b[1] += surprise * of_a[1] * difference;
            forecasts[g] = expected;
        }
        for (int64_t g = first; g < last; g++) {
            add_and_clear(states + 2 * a[g], is_one ? own_a : changes + 2 * a[g], 2);
            add_and_clear(states + 2 * b[g], is_one ? own_b : changes + 2 * b[g], 2);
            count_game(counts + a[g] * N_COUNTS, counts + b[g] * N_COUNTS, score[g], forecasts[g]);
        }
    }
}

/* Balduzzi et al. 2018; a row of the state is r, u_1, v_1, u_2, v_2, ... `changes` is needed always. */
INLINE void melo(int64_t k, int64_t n_periods, const int64_t *starts, const int64_t *a, const int64_t *b,
                 const double *score, double step, double cyclic_step, double *states, double *counts,
                 double *changes, double *forecasts)
{
    const int64_t width = 1 + 2 * k;
    const int64_t n_games = starts ? starts[n_periods] : n_periods;
    for (int64_t period = 0; period < n_periods; period++) {
        int64_t first = starts ? starts[period] : period, last = starts ? starts[period + 1] : period + 1;
        for (int64_t g = first; g < last; g++) {
            ask_for(g, n_games, a, b, states, width, counts);
            const double *of_a = states + width * a[g], *of_b = states + width * b[g];
            double *change_a = changes + width * a[g], *change_b = changes + width * b[g];
            double x = of_a[0] - of_b[0];
            for (int64_t c = 1; c < width; c += 2)
                x += of_a[c] * of_b[c + 1] - of_a[c + 1] * of_b[c];
            double expected = sigmoid(x), surprise = score[g] - expected;
            change_a[0] += step * surprise;
            change_b[0] -= step * surprise;
            for (int64_t c = 1; c < width; c += 2) {
                change_a[c] += cyclic_step * surprise * of_b[c + 1];
                change_a[c + 1] -= cyclic_step * surprise * of_b[c];
                change_b[c] -= cyclic_step * surprise * of_a[c + 1];
                change_b[c + 1] += cyclic_step * surprise * of_a[c];
            }
            forecasts[g] = expected;
        }
        for (int64_t g = first; g < last; g++) {
            add_and_clear(states + width * a[g], changes + width * a[g], width);
            add_and_clear(states + width * b[g], changes + width * b[g], width);
            count_game(counts + a[g] * N_COUNTS, counts + b[g] * N_COUNTS, score[g], forecasts[g]);
        }
    }
}

void online_melo(int64_t k, int64_t n_periods, const int64_t *starts, const int64_t *a, const int64_t *b,
                 const double *score, double step, double cyclic_step, double *states, double *counts,
                 double *changes, double *forecasts)
{
    if (k == 1)
        melo(1, n_periods, starts, a, b, score, step, cyclic_step, states, counts, changes, forecasts);
    else
        melo(k, n_periods, starts, a, b, score, step, cyclic_step, states, counts, changes, forecasts);
}

/* Counts of games by pair. `transitivity.matchups.tally` calls these functions. */

#include <stdint.h>

/* Sorts n numbers of at least 0, byte by byte; returns whether they are in `room` then, instead of where they were. */
int sort_numbers(int64_t n, int64_t *numbers, int64_t *room)
{
    int is_in_room = 0;
    for (int shift = 0; shift < 64; shift += 8) {
        /* Where the next number with a byte goes. */
        int64_t at[256] = {0}, before = 0;
        for (int64_t k = 0; k < n; k++)
            at[numbers[k] >> shift & 255]++;
        if (n == 0 || at[numbers[0] >> shift & 255] == n)
            /* All numbers have the same byte here. */
            continue;
        for (int byte = 0; byte < 256; byte++) {
            int64_t times = at[byte];
            at[byte] = before;
            before += times;
        }
        for (int64_t k = 0; k < n; k++)
            room[at[numbers[k] >> shift & 255]++] = numbers[k];
        int64_t *sorted = room;
        room = numbers;
        numbers = sorted;
        is_in_room = !is_in_room;
    }
    return is_in_room;
}

/* Returns the pair of a game; see count_games. */
static inline int64_t pair_of(int64_t game)
{
    return (game & ~(int64_t)0xffffffff) | (game & 0xffffffff) >> 2;
}

/* Adds m games to the counts of n pairs; returns how many pairs there are then.

   A pair is low << 32 | high, and has three counts; a game is low << 32 | high << 2 | outcome. Pairs and games are
   sorted, and so are the pairs written, for which there is room for n + m. */
int64_t count_games(int64_t n, const int64_t *pairs, const int64_t *counts, int64_t m, const int64_t *games,
                    int64_t *all_pairs, int64_t *all_counts)
{
    int64_t total = 0, pair = 0, game = 0;
    while (pair < n || game < m) {
        int64_t *sums = all_counts + 3 * total;
        int64_t of_game = game < m ? pair_of(games[game]) : INT64_MAX;
        int64_t next = pair < n && pairs[pair] <= of_game ? pairs[pair] : of_game;
        int known = pair < n && pairs[pair] == next;
        for (int outcome = 0; outcome < 3; outcome++)
            sums[outcome] = known ? counts[3 * pair + outcome] : 0;
        pair += known;
        for (; game < m && pair_of(games[game]) == next; game++)
            if ((games[game] & 3) < 3)
                sums[games[game] & 3]++;
        all_pairs[total++] = next;
    }
    return total;
}

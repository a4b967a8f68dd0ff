/* Chess games of the usual form in a block of PGN, and the numbers of their players' names.

   `transitivity.sources.pgn` calls these functions and says what a block is. Whatever the bytes of a block are, nothing
   beyond its size is read, and nothing is written beyond what the other lengths say. */

#include <stdint.h>
#include <string.h>

/* What is told of a game: where it starts and its moves start, where the names start and end, how the game ended, and
   the ratings. */
enum { START, MOVES, WHITE, WHITE_END, BLACK, BLACK_END, OUTCOME, WHITE_ELO, BLACK_ELO, FIELDS };

/* The tags that matter, and the lengths of their names. A usual game has each at most once, and the first four. */
enum { EVENT_TAG, WHITE_TAG, BLACK_TAG, RESULT_TAG, WHITE_ELO_TAG, BLACK_ELO_TAG, N_TAGS, NEEDED = RESULT_TAG + 1 };
static const int LENGTHS[] = {5, 5, 5, 6, 8, 8};

/* A usual head is not longer, and so no name. */
enum { LONGEST_HEAD = 4096 };

typedef const uint8_t *place;

/* Returns whether what is between two places starts with a word, or is one. */
static inline int starts(place at, place end, const char *word)
{
    return end - at >= (int64_t)strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

static inline int is(place at, place end, const char *word)
{
    return end - at == (int64_t)strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* Returns whether a name may start with a byte. */
static inline int is_alphanumeric(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

/* Returns the number that stands for a result, or -1 if it is none. */
static int64_t outcome(place at, place end)
{
    return is(at, end, "1-0") ? 0 : is(at, end, "1/2-1/2") ? 1 : is(at, end, "0-1") ? 2 : is(at, end, "*") ? 3 : -1;
}

/* Returns a rating, or -1 if there is none, or no number of up to six digits. */
static int64_t rating(place at, place end)
{
    int64_t number = 0;
    if (at == end || end - at > 6)
        return -1;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return -1;
        number = 10 * number + (*at - '0');
    }
    return number;
}

/* Returns which of the tags that matter is in a line, N_TAGS for none, and -1 for one that is unusual. */
static inline int tag(place line, place end)
{
    int k = starts(line, end, "[WhiteElo") ? WHITE_ELO_TAG : starts(line, end, "[White") ? WHITE_TAG
          : starts(line, end, "[BlackElo") ? BLACK_ELO_TAG : starts(line, end, "[Black") ? BLACK_TAG
          : starts(line, end, "[Result") ? RESULT_TAG : starts(line, end, "[Event") ? EVENT_TAG : N_TAGS;
    place after = line + 1 + (k < N_TAGS ? LENGTHS[k] : 0);
    if (k == N_TAGS || after == end || (*after != ' ' && *after != '\t'))
        return N_TAGS;
    /* The quote that opens the value is not the one that closes it. */
    return end - after >= 4 && after[1] == '"' ? k : -1;
}

/* Writes what is told of the game that starts at `at`; returns where its moves start, or null if its head is unusual.

   Every line of a usual head starts with its only bracket and ends in a quote and a bracket: one tag or none. */
static place read_head(place text, place at, place end, int64_t *game)
{
    place start = at, value[N_TAGS] = {0}, value_end[N_TAGS] = {0};
    int lines = 0;
    /* Sums of short integers vectorise better. */
    uint16_t brackets = 0;
    if (end - start > LONGEST_HEAD)
        end = start + LONGEST_HEAD;
    for (; at < end && *at == '['; lines++) {
        place newline = memchr(at, '\n', (size_t)(end - at)), stop = newline ? newline : end;
        int k;
        if (stop[-1] == '\r')
            stop--;
        if (stop - at < 3 || stop[-1] != ']' || stop[-2] != '"' || (k = tag(at, stop)) < 0)
            return NULL;
        if (k < N_TAGS) {
            if (value[k])
                return NULL;
            value[k] = at + LENGTHS[k] + 3;
            value_end[k] = stop - 2;
        }
        at = newline ? newline + 1 : end;
    }
    if (at - start == LONGEST_HEAD)
        return NULL;
    for (place p = start; p < at; p++)
        brackets += *p == '[';
    for (int k = 0; k < NEEDED; k++)
        if (!value[k])
            return NULL;
    game[START] = start - text;
    game[MOVES] = at - text;
    game[WHITE] = value[WHITE_TAG] - text;
    game[WHITE_END] = value_end[WHITE_TAG] - text;
    game[BLACK] = value[BLACK_TAG] - text;
    game[BLACK_END] = value_end[BLACK_TAG] - text;
    game[OUTCOME] = outcome(value[RESULT_TAG], value_end[RESULT_TAG]);
    game[WHITE_ELO] = rating(value[WHITE_ELO_TAG], value_end[WHITE_ELO_TAG]);
    game[BLACK_ELO] = rating(value[BLACK_ELO_TAG], value_end[BLACK_ELO_TAG]);
    return brackets == lines && game[OUTCOME] >= 0 ? at : NULL;
}

/* Returns where the game after these moves starts, or null if there may be another tag before it.

   Tags start a line, behind blanks and a byte order mark, if any; but an Event may be glued to the game before it. */
static place next_game(place moves, place end)
{
    for (place at = moves; (at = memchr(at, '[', (size_t)(end - at))); at++) {
        place before = at;
        if (starts(at, end, "[Event ") && at[-1] == '\n')
            return at;
        if (starts(at, end, "[Event ") || starts(at, end, "[Event\t"))
            return NULL;
        if (at + 1 == end || !is_alphanumeric(at[1]))
            continue;
        while (before > moves && before[-1] <= ' ' && before[-1] != '\n')
            before--;
        if (before == moves || before[-1] == '\n' || before[-1] >= 0x80)
            return NULL;
    }
    return end;
}

/* Returns whether a comment may be open at the end of moves: whether their last brace opens one. */
static int is_open(place moves, place end)
{
    while (end > moves && end[-1] != '}')
        if (*--end == '{')
            return 1;
    return 0;
}

/* Writes the games of a block, FIELDS numbers each; returns how many, or -1 if it is not all usual games, or there are
   more than `capacity`. A block starts with an Event and ends before one, or where the file ends. */
int64_t find_games(place text, int64_t size, int64_t capacity, int64_t *games)
{
    place at = text, end = text + size, brace = text;
    int64_t n = 0;
    for (; at < end; n++, games += FIELDS) {
        place moves;
        if (n == capacity || *at != '[' || !(moves = read_head(text, at, end, games)) || !(at = next_game(moves, end)))
            return -1;
        /* Most files have no comments: then one search does. */
        if (brace < moves && !(brace = memchr(moves, '{', (size_t)(end - moves))))
            brace = end;
        if (brace < at && is_open(moves, at))
            return -1;
    }
    return n;
}

/* Returns a number for a name. By sums of products with random keys, no two names have the same sooner than by chance,
   so that nobody who does not know the keys can write a file in which the search for a name takes long. */
static inline uint64_t hash(place name, int64_t length, const uint64_t *keys)
{
    uint64_t sum = *keys++ * (uint64_t)length, word;
    for (; length > 0; name += 8, length -= 8, keys += 2) {
        word = 0;
        memcpy(&word, name, length < 8 ? (size_t)length : 8);
        sum += keys[0] * (uint32_t)word + keys[1] * (word >> 32);
    }
    /* The upper half of the bits is the random one. */
    return (sum >> 32) * 0x9e3779b97f4a7c15u;
}

/* Returns the slot at which the search for a name begins. */
static inline uint64_t first_slot(int64_t hashed, int64_t n_slots)
{
    return (uint64_t)hashed >> 20 & ((uint64_t)n_slots - 1);
}

/* Writes the numbers of m names, new ones in the order in which they come; returns how many names are known then, or
   -1, having done nothing, if there may be no room for so many.

   Name k is from spans[2 k] to spans[2 k + 1] in the text. Known name number k is from ends[k] to ends[k + 1] in `pool`.
   `slots`, a power of two of them, at least half of which are empty (0), have the upper half of a name's hash and, in
   the lower half, its number + 1; a name is in the first slot, from that on which its hash says, that was empty.
   `keys` are 1 + LONGEST_HEAD / 4 random numbers. */
int64_t number_names(place text, int64_t m, const int64_t *spans, int64_t *numbers, uint64_t *slots, int64_t n_slots,
                     uint8_t *pool, int64_t pool_size, int64_t *ends, int64_t known, const uint64_t *keys)
{
    int64_t room = pool_size - ends[known];
    for (int64_t k = 0; k < m; k++)
        room -= spans[2 * k + 1] - spans[2 * k];
    if (room < 0 || known + m > n_slots / 2)
        return -1;
    /* With many players the slots are not in the cache: they are prefetched. */
    for (int64_t k = 0; k < m; k++) {
        numbers[k] = (int64_t)hash(text + spans[2 * k], spans[2 * k + 1] - spans[2 * k], keys);
        __builtin_prefetch(&slots[first_slot(numbers[k], n_slots)]);
    }
    for (int64_t k = 0; k < m; k++) {
        place name = text + spans[2 * k];
        int64_t length = spans[2 * k + 1] - spans[2 * k], number = known;
        uint64_t upper = (uint64_t)numbers[k] >> 32, at = first_slot(numbers[k], n_slots);
        if (k + 24 < m)
            __builtin_prefetch(&ends[slots[first_slot(numbers[k + 24], n_slots)] & 0xffffffff]);
        if (k + 12 < m)
            __builtin_prefetch(&pool[ends[slots[first_slot(numbers[k + 12], n_slots)] & 0xffffffff]]);
        for (; slots[at]; at = (at + 1) & ((uint64_t)n_slots - 1)) {
            number = (int64_t)(slots[at] & 0xffffffff) - 1;
            if (slots[at] >> 32 == upper && ends[number + 1] - ends[number] == length
                && memcmp(pool + ends[number], name, (size_t)length) == 0)
                break;
            number = known;
        }
        if (number == known) {
            memcpy(pool + ends[known], name, (size_t)length);
            ends[known + 1] = ends[known] + length;
            slots[at] = upper << 32 | (uint64_t)++known;
        }
        numbers[k] = number;
    }
    return known;
}

/**
 * Tells for each of `names` (last segments, decoded) whether it matches; the
 * answer has the same length and order. Takes many names at once because some
 * matchers have a price per call. Throws `PATTERN_INVALID` when the pattern
 * turns out to need more time than it may take.
 */
export type NameMatcher = (names: readonly string[]) => readonly boolean[];

/**
 * Every table the code queries, by its name in SQL. The columns are as `openDatabase` reads them: int8 is `bigint`,
 * numeric and date are strings, timestamptz is a `Date`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: a feature adds its tables as members.
export interface Tables {}

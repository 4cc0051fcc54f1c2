/** Pauses of a queue after consecutive failures, in seconds; the last one repeats. */
export const RETRY_PAUSES = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200]

/** Age at which a failing delivery is given up. */
export const GIVEN_UP_AFTER_DAYS = 3

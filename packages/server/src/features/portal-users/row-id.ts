/** Whether it is an id as the database makes them. */
export const isSafeId = (value: unknown): value is string => typeof value === 'string' && /^[1-9]\d{0,17}$/.test(value)

/** Spelled as on its chain. */
export type Address = string

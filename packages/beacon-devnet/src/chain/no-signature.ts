/** The point at infinity: a well-formed signature of nobody. The chain verifies none but those of deposits. */
export const NO_SIGNATURE = new Uint8Array(96).fill(0xc0, 0, 1)

/** Point at infinity: well-formed but unsigned. The chain verifies only deposit signatures. */
export const NO_SIGNATURE = new Uint8Array(96).fill(0xc0, 0, 1)

/** `0x` and an even number of hex digits as bytes. */
export const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex')

/** Bytes as `0x` and lower-case hex digits. */
export const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`

/** In code points; contracts may answer any length. */
export const SYMBOL_LENGTH = 32
export const NAME_LENGTH = 64

/** Controls, text direction, zero width, private use, lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu
const SPACE = /[\p{Z}\s]+/gu

export function cleanText(text: string, length: number): string {
  // Bounds the work on megabytes.
  const visible = text
    .slice(0, 16 * length)
    .replace(SPACE, ' ')
    .replace(INVISIBLE, '')
    .trim()
  return [...visible].slice(0, length).join('').trim()
}

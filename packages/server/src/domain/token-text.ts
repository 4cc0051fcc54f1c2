/** Longest symbol and name that are kept, in code points; a contract may answer with as much text as it likes. */
export const SYMBOL_LENGTH = 32
export const NAME_LENGTH = 64

/** Controls, text direction, zero width, private use, lone surrogates: what a line of text has no honest use for. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu
const SPACE = /[\p{Z}\s]+/gu

/** A contract's own text, made safe to show: one line of visible characters, at most `length` code points. */
export function cleanText(text: string, length: number): string {
  // Far more than is kept, so that a text of megabytes costs nothing.
  const visible = text
    .slice(0, 16 * length)
    .replace(SPACE, ' ')
    .replace(INVISIBLE, '')
    .trim()
  return [...visible].slice(0, length).join('').trim()
}

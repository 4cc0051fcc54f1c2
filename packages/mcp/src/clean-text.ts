/** Code points per field. */
const LONGEST_TEXT = 256

/** Controls, format characters, bidirectional marks, tags, variation selectors: they steer a screen or hide text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Variation_Selector}]/gu
const BREAKS = /[\t-\r\p{Zs}\p{Zl}\p{Zp}]+/gu

/** Returns one line without invisible characters; `…` marks a cut. */
export function cleanText(text: string): string {
  const line = text.replace(BREAKS, ' ').replace(UNSEEN, '')
  const points = [...line]
  return points.length > LONGEST_TEXT ? `${points.slice(0, LONGEST_TEXT).join('')}…` : line
}

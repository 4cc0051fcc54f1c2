/** Longest text that a model is shown of one field, in code points. */
const LONGEST_TEXT = 256

/** What steers a screen or hides text: control and format characters, bidirectional marks, tags, variation selectors. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Variation_Selector}]/gu
const BREAKS = /[\t-\r\p{Zs}\p{Zl}\p{Zp}]+/gu

/** The text on one line, without invisible characters, cut to 256 code points; `…` marks the cut. */
export function cleanText(text: string): string {
  const line = text.replace(BREAKS, ' ').replace(UNSEEN, '')
  const points = [...line]
  return points.length > LONGEST_TEXT ? `${points.slice(0, LONGEST_TEXT).join('')}…` : line
}

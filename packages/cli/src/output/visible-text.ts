import { eastAsianWidth } from 'get-east-asian-width'

/**
 * Characters that move a cursor, hide text or reverse it: controls, format characters, direction marks, surrogates,
 * private use, unassigned characters, line separators, variation selectors and fillers.
 */
const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** More than two marks on a letter grow into the lines above and below. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
/** First strong isolate and its end: text between them does not reorder its surroundings. */
const ISOLATE = ['\u2068', '\u2069'] as const

const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Returns untrusted text on one line, with terminal controls spelled out: `\u{1b}`. */
export function visibleText(text: string): string {
  const line = text.replace(STEERING, escaped).replace(PILED_MARKS, '$1')
  return FROM_RIGHT.test(line) ? ISOLATE.join(line) : line
}

/** Escapes characters that would steer a terminal; the JSON stays equal. */
export const visibleJson = (json: string) =>
  json.replace(STEERING, (character) =>
    /[\t\n\r ]/.test(character)
      ? character
      : [...Array(character.length).keys()]
          .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join(''),
  )

/** Keeps line breaks and tabs, and spells out other terminal controls. */
export const visibleLines = (text: string) =>
  text.replace(STEERING, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)))

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const EMOJI = /\p{Emoji_Presentation}/u
const NO_WIDTH = /^[\p{M}\p{Cf}]/u

function widthOfGrapheme(text: string): number {
  if (NO_WIDTH.test(text)) return 0
  return EMOJI.test(text) ? 2 : eastAsianWidth(text.codePointAt(0) ?? 0)
}

const PLAIN = /^[ -~]*$/
const piecesOf = (text: string) =>
  PLAIN.test(text) ? [...text] : [...graphemes.segment(text)].map(({ segment }) => segment)

/** Width in terminal columns. */
export const widthOf = (text: string) =>
  PLAIN.test(text) ? text.length : piecesOf(text).reduce((sum, piece) => sum + widthOfGrapheme(piece), 0)

/** Cuts to `width` terminal columns; `…` marks the cut. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let cut = ''
  let left = width - 1
  for (const piece of piecesOf(text)) {
    left -= widthOfGrapheme(piece)
    if (left < 0) break
    cut += piece
  }
  return cut.startsWith(ISOLATE[0]) ? `${cut}…${ISOLATE[1]}` : `${cut}…`
}

const KEPT_CHARS = 6

/** Keeps both ends of an address or hash that is shown in full elsewhere. */
export const shortened = (text: string) =>
  text.length > 3 * KEPT_CHARS ? `${text.slice(0, KEPT_CHARS)}…${text.slice(-KEPT_CHARS)}` : text

import { escapeHtml } from '../../lib/escape-html.ts'

/** What no reader sees, or what turns other text around: controls, formats, directions, fillers, surrogates without a pair. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const codeOf = (character: string) => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

/** A stranger's text as HTML: text, whatever it says, with a direction of its own; what is invisible is shown by its code. */
export const shownText = (text: string): string =>
  `<bdi>${escapeHtml(text.replace(UNSEEN, (character) => `[U+${codeOf(character)}]`))}</bdi>`

import { createHash } from 'node:crypto'

/** Returns an upper-case letter or digit, or `?`. Safe in an SVG, and in a URL once encoded. */
export function firstLetter(text: string): string {
  const [letter = '?'] = /[\p{L}\p{N}]/u.exec(text) ?? []
  const [upper = letter] = letter.toUpperCase()
  return upper
}

function colorOf(name: string): string {
  const hue = createHash('sha256').update(name).digest().readUInt16BE(0) % 360
  return `hsl(${hue} 45% 42%)`
}

export function letterIcon(
  text: string,
  { seed = text, color = colorOf(seed) }: { seed?: string; color?: string } = {},
): string {
  const font = 'font-family="sans-serif" font-size="12" font-weight="600"'
  const middle = 'x="12" y="12" text-anchor="middle" dominant-baseline="central"'
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24">',
    `<circle cx="12" cy="12" r="12" fill="${color}"/>`,
    `<text ${middle} ${font} fill="#fff">${firstLetter(text)}</text>`,
    '</svg>',
  ].join('')
}

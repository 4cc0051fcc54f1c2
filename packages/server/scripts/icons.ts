import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { resolve } = createRequire(import.meta.url)
const svgFolder = join(dirname(resolve('@web3icons/core')), 'svgs')

/** The SVG text of one of the package's modules, each of which holds one single-quoted string. */
function svgOf(path: string): string {
  const source = readFileSync(join(svgFolder, `${path}.svg.js`), 'utf8')
  const literal = /^\s*'(<svg.*<\/svg>)\\n';?$/m.exec(source)?.[1]
  if (literal === undefined) throw new Error(`${path}: not one SVG text`)
  return literal.replace(/\\n\s*/g, '').replace(/\\'/g, "'")
}

/** Icon of a network on its own background. */
export function networkSvg(id: string): string {
  return svgOf(`networks/background/${id}`)
}

/** The first colour an SVG paints with as `#rrggbb`; plain black and white only when it has no other. */
export function leadingColor(svg: string): string | undefined {
  const fills = [...svg.matchAll(/fill="#([0-9a-f]{6}|[0-9a-f]{3})"/gi)].map(([, hex = '']) =>
    `#${hex.length === 3 ? hex.replace(/./g, '$&$&') : hex}`.toLowerCase(),
  )
  return fills.find((color) => color !== '#000000' && color !== '#ffffff') ?? fills[0]
}

import { toDrawn } from '../lib/pixels.ts'

const WIDTH = 96
const HEIGHT = 24
const MARGIN = 2

/** A small curve without axes; gaps stay gaps. `name` says in words what it shows. */
export function Sparkline({ name, values }: { name: string; values: readonly (string | null)[] }) {
  const drawn = values.map((value) => (value === null ? null : toDrawn(value)))
  const known = drawn.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const x = (index: number) => MARGIN + (index / Math.max(values.length - 1, 1)) * (WIDTH - 2 * MARGIN)
  const y = (value: number) => HEIGHT - MARGIN - ((value - low) / (high - low || 1)) * (HEIGHT - 2 * MARGIN)
  const path = drawn.map((value, index) => {
    if (value === null) return ''
    // A point that stands alone is drawn by the cap of a line without length.
    return `${(drawn[index - 1] ?? null) === null ? 'M' : 'L'}${x(index)},${y(value)}${(drawn[index + 1] ?? null) === null ? 'h0' : ''}`
  })
  return (
    <svg role="img" aria-label={name} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-6 w-24">
      <path d={path.join('')} fill="none" stroke="var(--accent)" strokeWidth={1.5} strokeLinecap="round" />
    </svg>
  )
}

import { line } from 'd3-shape'
import { toDrawn } from '../lib/pixels.ts'

const WIDTH = 96
const HEIGHT = 24
const MARGIN = 2

/** A small curve without axes; gaps stay gaps. `name` says in words what it shows. */
export function Sparkline({ name, values }: { name: string; values: readonly (string | null)[] }) {
  const drawn = values.map((value) => (value === null ? null : toDrawn(value)))
  const known = drawn.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const draw = line<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => MARGIN + (index / Math.max(values.length - 1, 1)) * (WIDTH - 2 * MARGIN))
    .y((value) => HEIGHT - MARGIN - (((value ?? low) - low) / (high - low || 1)) * (HEIGHT - 2 * MARGIN))
  return (
    <svg role="img" aria-label={name} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="h-6 w-24">
      {known.length > 0 && <path d={draw(drawn) ?? ''} fill="none" stroke="var(--accent)" strokeWidth={1.5} />}
    </svg>
  )
}

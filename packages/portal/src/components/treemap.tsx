import { toShares } from '../lib/pixels.ts'
import { Legend } from './donut.tsx'
import type { Part } from './part.ts'
import { seriesColor } from './series-colors.ts'
import { layOutTiles } from './treemap-layout.ts'

const WIDTH = 480
const HEIGHT = 200
const GAP = 1

export function Treemap({ name, parts }: { name: string; parts: readonly Part[] }) {
  const tiles = layOutTiles(toShares(parts.map((part) => part.value)), WIDTH, HEIGHT)
  return (
    <figure aria-label={name} className="grid gap-4">
      <svg aria-hidden viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="w-full rounded-md bg-sunken">
        {tiles.map((tile) => (
          <rect
            key={parts[tile.index]?.key}
            x={tile.x + GAP / 2}
            y={tile.y + GAP / 2}
            width={Math.max(tile.width - GAP, 0)}
            height={Math.max(tile.height - GAP, 0)}
            rx={2}
            fill={seriesColor(tile.index)}
          />
        ))}
      </svg>
      <Legend parts={parts} />
    </figure>
  )
}

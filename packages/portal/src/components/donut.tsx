import type { ReactNode } from 'react'
import { toShares } from '../lib/pixels.ts'
import type { Part } from './part.ts'
import { seriesColor } from './series-colors.ts'

const SIZE = 160
const HOLE = 52
const RADIUS = (SIZE / 2 + HOLE) / 2
const WIDTH = SIZE / 2 - HOLE
/** Space between two parts, as a share of the ring. */
const GAP = 0.0025

/** Shares of a whole as a ring. Screen readers read the list next to it. */
export function Donut({ name, parts, middle }: { name: string; parts: readonly Part[]; middle?: ReactNode }) {
  const shares = toShares(parts.map((part) => part.value))
  const gap = shares.filter(Boolean).length > 1 ? GAP : 0
  return (
    <figure aria-label={name} className="flex flex-wrap items-center gap-x-6 gap-y-4">
      <div className="relative mx-auto size-40 shrink-0">
        <svg aria-hidden viewBox={`${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}`} className="size-full -rotate-90">
          <circle r={RADIUS} fill="none" stroke="var(--sunken)" strokeWidth={WIDTH} />
          {parts.map((part, index) => (
            <circle
              key={part.key}
              r={RADIUS}
              fill="none"
              stroke={seriesColor(index)}
              strokeWidth={WIDTH}
              // The ring has length 1: each part is one dash, after all earlier parts.
              pathLength={1}
              strokeDasharray={`${Math.max((shares[index] ?? 0) - gap, 0)} 1`}
              strokeDashoffset={-shares.slice(0, index).reduce((sum, share) => sum + share, 0)}
            />
          ))}
        </svg>
        {middle && <div className="absolute inset-9 grid place-items-center text-center text-xs">{middle}</div>}
      </div>
      <Legend parts={parts} />
    </figure>
  )
}

export function Legend({ parts }: { parts: readonly Part[] }) {
  return (
    <ul className="grid min-w-44 flex-1 gap-1 text-sm">
      {parts.map((part, index) => (
        <li key={part.key} className="flex items-center gap-2">
          <span aria-hidden className="size-2.5 shrink-0 rounded-sm" style={{ background: seriesColor(index) }} />
          <span className="min-w-0 flex-1 truncate">{part.label}</span>
          <span>{part.text}</span>
        </li>
      ))}
    </ul>
  )
}

import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { t } from '../lib/i18n.ts'
import { toDrawn } from '../lib/pixels.ts'
import { useTheme } from '../lib/theme.ts'
import { formatMoment, formatTick } from '../lib/time.ts'
import type { LineChartProps } from './line-chart.tsx'

const HEIGHT = 260
/** Width of a digit in the axis font, and margin next to the longest text. */
const DIGIT_WIDTH = 7
const AXIS_MARGIN = 16
const CANVAS_FONT = '12px system-ui, sans-serif'
const MS = 1000

/** Screen readers announce the chart's name; the values are in the table next to it. */
export function LineChartCanvas(props: LineChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const { theme } = useTheme()
  const { moments, series, format, formatAt = formatMoment } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours that are read while drawing follow the theme.
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const data = [
      moments.map((moment) => moment.getTime() / MS),
      ...series.map(({ values }) => values.map((value) => (value === null ? null : toDrawn(value)))),
    ] as uPlot.AlignedData
    const plot = new uPlot(optionsFor(element, { series, format, formatAt }), data, element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [moments, series, format, formatAt, theme])
  // A narrowed window must not be widened by the drawing of the previous width.
  return (
    <div
      ref={box}
      role="img"
      aria-label={props.name}
      className="min-w-0 overflow-hidden"
      style={{ minHeight: HEIGHT }}
    />
  )
}

type Drawn = Required<Pick<LineChartProps, 'series' | 'format' | 'formatAt'>>

function optionsFor(element: HTMLElement, { series, format, formatAt }: Drawn): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const axis = { stroke: color('--muted'), grid: { stroke: color('--line'), width: 1 }, font: CANVAS_FONT }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    axes: [
      {
        ...axis,
        values: (_plot, splits, _axis, _space, step) => splits.map((at) => formatTick(new Date(at * MS), step)),
      },
      {
        ...axis,
        values: (_plot, splits, _axis, _space, step) => splits.map((split) => format(split.toFixed(placesOf(step)))),
        size: (_plot, texts) => Math.max(0, ...(texts ?? []).map((text) => text.length)) * DIGIT_WIDTH + AXIS_MARGIN,
      },
    ],
    series: [
      {
        label: t('When'),
        value: (_plot: uPlot, at: number | null) => (at === null ? '' : formatAt(new Date(at * MS))),
      },
      ...series.map(({ label }, index) => ({
        label,
        stroke: color(`--series-${index + 1}`),
        width: 2,
        spanGaps: false,
        // The cursor shows the API's own text, not the drawn number.
        value: (_plot: uPlot, _drawn: number, line: number, at: number | null) =>
          format((at === null ? null : series[line - 1]?.values[at]) ?? 'N/A'),
      })),
    ],
  }
}

/** Decimal places that distinguish the ticks of an axis, at least two. */
const placesOf = (step: number): number => Math.min(Math.max(2, Math.ceil(-Math.log10(step))), 20)

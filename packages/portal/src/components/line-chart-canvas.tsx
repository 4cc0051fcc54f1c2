import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { toDrawn } from '../lib/pixels.ts'
import { useTheme } from '../lib/theme.ts'
import type { LineChartProps } from './line-chart.tsx'

const HEIGHT = 260
const AXIS_WIDTH = 84
const CANVAS_FONT = '12px system-ui, sans-serif'
const MS = 1000

/** The drawing of a `LineChart`. Screen readers are told its name and find the values in the table beside it. */
export function LineChartCanvas(props: LineChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const { theme } = useTheme()
  const { moments, series, format } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours that are read while drawing follow the theme.
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const data = [
      moments.map((moment) => moment.getTime() / MS),
      ...series.map(({ values }) => values.map((value) => (value === null ? null : toDrawn(value)))),
    ] as uPlot.AlignedData
    const plot = new uPlot(optionsFor(element, series, format), data, element)
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [moments, series, format, theme])
  return <div ref={box} role="img" aria-label={props.name} className="min-w-0" style={{ minHeight: HEIGHT }} />
}

function optionsFor(
  element: HTMLElement,
  series: LineChartProps['series'],
  format: LineChartProps['format'],
): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const axis = { stroke: color('--muted'), grid: { stroke: color('--line'), width: 1 }, font: CANVAS_FONT }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    axes: [
      axis,
      { ...axis, size: AXIS_WIDTH, values: (_plot, splits) => splits.map((split) => format(split.toFixed(2))) },
    ],
    series: [
      {},
      ...series.map(({ label }, index) => ({
        label,
        stroke: color(`--series-${index + 1}`),
        width: 2,
        spanGaps: false,
        // Under the cursor stands the API's own text, not the number that is drawn.
        value: (_plot: uPlot, _drawn: number, line: number, at: number | null) =>
          format((at === null ? null : series[line - 1]?.values[at]) ?? 'N/A'),
      })),
    ],
  }
}

import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './chart.css'
import { alignedData, type ChartData, formOf, optionsOf } from './chart-options.ts'
import { count } from './format.ts'
import { Swatch } from './Swatch.tsx'

/** Bars and lines over time or by name. Dragging selects a time range, a click selects one interval. */
export function Chart({
  data,
  height = 150,
  summary,
  labelOf,
  onSelect,
}: {
  data: ChartData
  height?: number
  /** A description of the chart for screen readers. */
  summary: string
  /** The first line of the tooltip. The values of several series follow. */
  labelOf: (index: number) => string
  /** In seconds. Without it, nothing can be selected. */
  onSelect?: (from: number, to: number) => void
}) {
  const scheme = useComputedColorScheme('light')
  const { ref: sizeRef, width } = useElementSize()
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const [pointed, setPointed] = useState<{ index: number; left: number }>()
  const latest = useRef({ data, onSelect, width })
  latest.current = { data, onSelect, width }
  const form = formOf(data)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new color scheme or form needs a new chart.
  useEffect(() => {
    if (!host.current) return
    const select = (from: number, to: number): void => {
      const { starts, length } = latest.current.data
      const first = starts.findLast((start) => start <= from) ?? starts[0]
      const last = starts.findLast((start) => start < to) ?? first
      if (first === undefined || last === undefined) return
      latest.current.onSelect?.(first, Math.max(first, last) + length)
    }
    const { data, onSelect, width } = latest.current
    const chart = new uPlot(
      optionsOf(() => latest.current.data, onSelect ? select : undefined, setPointed, { width, height }),
      alignedData(data),
      host.current,
    )
    plot.current = chart
    return () => {
      chart.destroy()
      plot.current = null
      setPointed(undefined)
    }
  }, [scheme, form, height])

  useEffect(() => {
    plot.current?.setData(alignedData(data))
  }, [data])

  useEffect(() => {
    if (width > 0) plot.current?.setSize({ width, height })
  }, [width, height])

  return (
    <div className="chart" ref={sizeRef} style={{ height }} data-selectable={onSelect !== undefined || undefined}>
      <div ref={host} role="img" aria-label={summary} />
      {pointed && pointed.index < data.starts.length && (
        <div
          className="chart-label"
          aria-hidden
          style={
            pointed.left < width / 2 ? { left: pointed.left + 12 } : { right: Math.max(0, width - pointed.left + 12) }
          }
        >
          {labelOf(pointed.index)}
          {data.series.length > 1 && <Values data={data} index={pointed.index} />}
        </div>
      )}
    </div>
  )
}

/** The values of one interval, in the order of the stack from top to bottom. */
function Values({ data: { series }, index }: { data: ChartData; index: number }) {
  const present = series.filter(({ counts, shape }) => counts[index] || shape === 'dashes')
  return (
    <table className="chart-values">
      <tbody>
        {present.toReversed().map(({ name, color, counts }) => (
          <tr key={`${color} ${name}`}>
            <td>
              <Swatch color={color} /> {name}
            </td>
            <td>{count(counts[index] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

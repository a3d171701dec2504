import { useComputedColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './chart.css'

const AXIS_WIDTH = 48
/** A shorter drag is a click. */
const MIN_DRAG_PIXELS = 4
/** Counts have no fractions. */
const STEPS = Array.from({ length: 18 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
const FRACTIONS = [6, 5, 4, 3, 2, 1].flatMap((power) => [1, 2, 5].map((step) => step / 10 ** power))
/** Longer names are cut below the bars. */
const NAME_LENGTH = 14
const NAME_WIDTH = 110

export interface Bars {
  /** The starts of the intervals and the counts, in seconds and ascending. */
  starts: number[]
  counts: number[]
  /** The length of an interval in seconds. */
  length: number
  /** A name for each bar instead of its time. The starts are then 0, 1, 2 and so on, and the length is 1. */
  names?: string[]
}

/** Bars over time or by name. Dragging selects a time range, a click selects one interval. */
export function Chart({
  bars,
  height = 150,
  summary,
  labelOf,
  onSelect,
}: {
  bars: Bars
  height?: number
  /** A description of the chart for screen readers. */
  summary: string
  labelOf: (index: number) => string
  /** In seconds. Without it, nothing can be selected. */
  onSelect?: (from: number, to: number) => void
}) {
  const scheme = useComputedColorScheme('light')
  const { ref: sizeRef, width } = useElementSize()
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const [pointed, setPointed] = useState<{ index: number; left: number }>()
  const latest = useRef({ bars, onSelect, width })
  latest.current = { bars, onSelect, width }
  const isNamed = bars.names !== undefined

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new color scheme or axis needs a new chart.
  useEffect(() => {
    if (!host.current) return
    const select = (from: number, to: number): void => {
      const { starts, length } = latest.current.bars
      const first = starts.findLast((start) => start <= from) ?? starts[0]
      const last = starts.findLast((start) => start < to) ?? first
      if (first !== undefined && last !== undefined) latest.current.onSelect?.(first, last + length)
    }
    const { bars, onSelect, width } = latest.current
    const chart = new uPlot(
      optionsOf(() => latest.current.bars, onSelect ? select : undefined, setPointed, { width, height }),
      dataOf(bars),
      host.current,
    )
    plot.current = chart
    return () => {
      chart.destroy()
      plot.current = null
      setPointed(undefined)
    }
  }, [scheme, isNamed, height])

  useEffect(() => {
    plot.current?.setData(dataOf(bars))
  }, [bars])

  useEffect(() => {
    if (width > 0) plot.current?.setSize({ width, height })
  }, [width, height])

  return (
    <div className="chart" ref={sizeRef} style={{ height }} data-selectable={onSelect !== undefined || undefined}>
      <div ref={host} role="img" aria-label={summary} />
      {pointed && pointed.index < bars.starts.length && (
        <div
          className="chart-label"
          aria-hidden
          style={
            pointed.left < width / 2 ? { left: pointed.left + 12 } : { right: Math.max(0, width - pointed.left + 12) }
          }
        >
          {labelOf(pointed.index)}
        </div>
      )}
    </div>
  )
}

/** The bar of a name is in the middle of its room. */
const dataOf = ({ starts, counts, names }: Bars): uPlot.AlignedData => [
  names ? starts.map((start) => start + 0.5) : starts,
  counts,
]

const colorOf = (variable: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(variable).trim()

function optionsOf(
  current: () => Bars,
  select: ((from: number, to: number) => void) | undefined,
  setPointed: (pointed: { index: number; left: number } | undefined) => void,
  { width, height }: { width: number; height: number },
): uPlot.Options {
  const isNamed = current().names !== undefined
  const text = colorOf('--mantine-color-dimmed')
  const grid = colorOf('--mantine-color-default-border')
  const font = '12px system-ui, sans-serif'
  const axis = { stroke: text, font, ticks: { show: false }, border: { show: false } }
  return {
    width: Math.max(width, 100),
    height,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: select !== undefined, y: false, setScale: false } },
    scales: {
      x: {
        time: !isNamed,
        range: () => {
          const { starts, length } = current()
          return [starts[0] ?? 0, (starts.at(-1) ?? 0) + length]
        },
      },
      y: {
        range: (_chart, min, max) => {
          const top = max * 1.05
          return [Math.min(0, (min ?? 0) * 1.05), hasFractions(current()) && top > 0 ? top : Math.max(1, top)]
        },
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        ...(isNamed
          ? { splits: (chart) => nameSplits(chart, current()), values: (_chart, at) => nameLabels(at, current()) }
          : { space: 64, values: timeLabels }),
      },
      {
        ...axis,
        grid: { stroke: grid, width: 1 },
        size: AXIS_WIDTH,
        space: 36,
        incrs: () => (hasFractions(current()) ? [...FRACTIONS, ...STEPS] : STEPS),
        values: (_chart, values) => values.map((value) => compact.format(value)),
      },
    ],
    series: [
      {},
      {
        fill: colorOf('--mantine-color-indigo-5'),
        width: 0,
        points: { show: false },
        ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ align: isNamed ? 0 : 1, size: [0.9, 60], radius: 0.1 }) }),
      },
    ],
    hooks: {
      setCursor: [
        (chart) => {
          const { left = -1 } = chart.cursor
          const time = chart.posToVal(left, 'x')
          const index = current().starts.findLastIndex((start) => start <= time)
          setPointed(left < 0 || index < 0 ? undefined : { index, left: left + AXIS_WIDTH })
        },
      ],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select
          if (!select || width < MIN_DRAG_PIXELS) return
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          select(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'))
        },
      ],
      ready: [
        (chart) => {
          if (!select) return
          let pressedAt = 0
          chart.over.addEventListener('mousedown', ({ clientX }) => {
            pressedAt = clientX
          })
          chart.over.addEventListener('click', ({ clientX, offsetX }) => {
            if (Math.abs(clientX - pressedAt) >= MIN_DRAG_PIXELS) return
            const time = chart.posToVal(offsetX, 'x')
            select(time, time)
          })
        },
      ],
    },
  }
}

const hasFractions = ({ counts }: Bars): boolean => counts.some((count) => !Number.isInteger(count))

/** The middles of as many bars as have room for their names. */
function nameSplits(chart: uPlot, { starts }: Bars): number[] {
  const room = Math.max(1, Math.floor((chart.width - AXIS_WIDTH) / NAME_WIDTH))
  const step = Math.ceil(starts.length / room)
  return starts.filter((_, i) => i % step === 0).map((start) => start + 0.5)
}

const nameLabels = (splits: number[], { names }: Bars): string[] =>
  splits.map((split) => {
    const name = names?.[Math.floor(split)] ?? ''
    return name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name
  })

const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const months = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' })
const DAY = 86_400

/** Hours of a day, with the date at midnight. Wider steps show dates or months. */
function timeLabels(_chart: uPlot, splits: number[], _axis: number, _space: number, step: number): string[] {
  return splits.map((seconds) => {
    const date = new Date(seconds * 1000)
    if (step >= 28 * DAY) return months.format(date)
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
    return (step >= DAY || isMidnight ? days : hours).format(date)
  })
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

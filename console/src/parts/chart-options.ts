/** How a chart is drawn: its data, colors, axes and pointer. */
import uPlot from 'uplot'

export const AXIS_WIDTH = 48
/** A shorter drag is a click. */
const MIN_DRAG_PIXELS = 4
/** Counts have no fractions. */
const STEPS = Array.from({ length: 18 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
const FRACTIONS = [6, 5, 4, 3, 2, 1].flatMap((power) => [1, 2, 5].map((step) => step / 10 ** power))
/** Longer names are cut below the bars. */
const NAME_LENGTH = 14
const NAME_WIDTH = 110
/** Bars that are drawn with rounded corners. The parts of a stack touch each other. */
const RADIUS = 0.1

export interface ChartSeries {
  name: string
  counts: number[]
  /** The name of a CSS variable. */
  color: string
  /** Several series of bars are stacked, the first one at the bottom. */
  shape: 'bars' | 'line' | 'dashes'
}

export interface ChartData {
  /** The starts of the intervals, in seconds and ascending. */
  starts: number[]
  /** The length of an interval in seconds. */
  length: number
  series: ChartSeries[]
  /** A name for each bar instead of its time. The starts are then 0, 1, 2 and so on, and the length is 1. */
  names?: string[]
}

/** The options that need a new chart when they change. */
export const formOf = ({ series, names }: ChartData): string =>
  JSON.stringify([names !== undefined, ...series.map(({ color, shape }) => [color, shape])])

/** The series in the order in which they are drawn. A bar of a stack is drawn over the longer ones, and lines over bars. */
function drawn({ series }: ChartData): ChartSeries[] {
  const sums: ChartSeries[] = []
  for (const bar of series.filter(({ shape }) => shape === 'bars')) {
    const below = sums.at(-1)?.counts ?? []
    sums.push({ ...bar, counts: bar.counts.map((count, i) => count + (below[i] ?? 0)) })
  }
  return [...sums.reverse(), ...series.filter(({ shape }) => shape !== 'bars')]
}

/** Values are in the middle of their intervals. */
export const alignedData = (data: ChartData): uPlot.AlignedData => [
  data.starts.map((start) => start + data.length / 2),
  ...drawn(data).map(({ counts }) => counts),
]

const colorOf = (variable: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(variable).trim()

export function optionsOf(
  current: () => ChartData,
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
    series: [{}, ...seriesOptions(current())],
    hooks: hooksOf(current, select, setPointed),
  }
}

function seriesOptions(data: ChartData): uPlot.Series[] {
  const isStacked = data.series.filter(({ shape }) => shape === 'bars').length > 1
  const bars = uPlot.paths.bars?.({ align: 0, size: [0.9, 60], radius: isStacked ? 0 : RADIUS })
  // A line through one value has no length.
  const isAlone = (chart: uPlot): boolean => chart.data[0].length < 2
  return drawn(data).map(({ shape, color }) =>
    shape === 'bars'
      ? { fill: colorOf(color), width: 0, points: { show: false }, ...(bars && { paths: bars }) }
      : {
          stroke: colorOf(color),
          width: 2,
          points: { show: isAlone, size: 6 },
          ...(shape === 'dashes' && { dash: [5, 4], width: 1.5 }),
        },
  )
}

function hooksOf(
  current: () => ChartData,
  select: ((from: number, to: number) => void) | undefined,
  setPointed: (pointed: { index: number; left: number } | undefined) => void,
): uPlot.Hooks.Arrays {
  return {
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
  }
}

const hasFractions = ({ series }: ChartData): boolean =>
  series.some(({ counts }) => counts.some((count) => !Number.isInteger(count)))

/** The middles of as many bars as have room for their names. */
function nameSplits(chart: uPlot, { starts }: ChartData): number[] {
  const room = Math.max(1, Math.floor((chart.width - AXIS_WIDTH) / NAME_WIDTH))
  const step = Math.ceil(starts.length / room)
  return starts.filter((_, i) => i % step === 0).map((start) => start + 0.5)
}

const nameLabels = (splits: number[], { names }: ChartData): string[] =>
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

import 'uplot/dist/uPlot.min.css'
import { Box, Group, Table, Text, useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import type { Schemas } from '../api.ts'
import { count, duration, plural } from '../parts/format.ts'
import { Time } from '../parts/Time.tsx'
import { durationOf, isActive, isFailed, statusLabel, windowText } from './run-status.ts'

type Run = Schemas['BatchExportRun']

const HEIGHT = 220
const COLORS = {
  light: { rows: '#12b886', duration: '#3b5bdb', failed: '#e03131', text: '#495057', grid: '#dee2e6' },
  dark: { rows: '#20c997', duration: '#91a7ff', failed: '#ff6b6b', text: '#c9c9c9', grid: '#424242' },
}

/** Rows, duration and failures of the ended runs in the order of their start, as a chart and as a table. */
export default function History({ runs }: { runs: Run[] }) {
  const scheme = useComputedColorScheme('light')
  const box = useRef<HTMLDivElement>(null)
  const ended = runs.filter((run) => !isActive(run)).toReversed()
  // The chart is drawn again only if it would look different.
  const signature = ended.map(({ id, status }) => `${id} ${status}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the runs.
  useEffect(() => {
    const element = box.current
    if (!element || ended.length === 0) return
    const chart = new uPlot(optionsFor(ended, element.clientWidth, COLORS[scheme]), dataOf(ended), element)
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [signature, scheme])
  const summary = summarize(ended)
  const colors = COLORS[scheme]
  return (
    <>
      <Group gap="md" mb={4}>
        <Key color={colors.rows} label="Rows" />
        <Key color={colors.duration} label="Duration in seconds" />
        <Key color={colors.failed} label="Failed" />
      </Group>
      <Box ref={box} mih={HEIGHT} role="img" aria-label={summary} />
      <Text size="sm" c="dimmed" mt="xs">
        {summary}
      </Text>
      <details>
        <summary>
          <Text span size="sm">
            Show as table
          </Text>
        </summary>
        <Box mah={320} style={{ overflow: 'auto' }} tabIndex={0} role="region" aria-label="History as table">
          <Table className="cards">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Window</Table.Th>
                <Table.Th>Status</Table.Th>
                <Table.Th className="number">Rows</Table.Th>
                <Table.Th className="number">Duration</Table.Th>
                <Table.Th>Started</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {ended.toReversed().map((run) => (
                <Table.Tr key={run.id}>
                  <Table.Td>{windowText(run)}</Table.Td>
                  <Table.Td>{statusLabel(run)}</Table.Td>
                  <Table.Td className="number" data-label="Rows">
                    {count(run.records_completed ?? 0)}
                  </Table.Td>
                  <Table.Td className="number" data-label="Duration">
                    {duration(durationOf(run))}
                  </Table.Td>
                  <Table.Td data-label="Started">
                    <Time value={run.created_at} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Box>
      </details>
    </>
  )
}

function Key({ color, label }: { color: string; label: string }) {
  return (
    <Group gap={6}>
      <Box w={12} h={12} bg={color} style={{ borderRadius: 2 }} aria-hidden />
      <Text size="xs">{label}</Text>
    </Group>
  )
}

function summarize(runs: readonly Run[]): string {
  const failed = runs.filter(isFailed).length
  const rows = runs.reduce((sum, { records_completed }) => sum + (records_completed ?? 0), 0)
  const longest = Math.max(0, ...runs.map((run) => durationOf(run)))
  return `${plural(runs.length, 'ended run')}: ${plural(rows, 'row')} delivered, ${failed} failed, the longest took ${duration(longest)}.`
}

/** Runs are evenly spaced: a backfill creates many at once. */
function dataOf(runs: readonly Run[]): uPlot.AlignedData {
  const rows = runs.map(({ records_completed }) => records_completed ?? 0)
  return [
    runs.map((_, i) => i),
    rows,
    runs.map((run) => durationOf(run) / 1000),
    runs.map((run, i) => (isFailed(run) ? (rows[i] ?? 0) : null)),
  ]
}

function optionsFor(runs: readonly Run[], width: number, colors: (typeof COLORS)['light']): uPlot.Options {
  const axis = {
    stroke: colors.text,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { stroke: colors.grid, width: 1 },
  }
  const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })
  const startOf = (i: number): string => {
    const run = runs[i]
    return run ? day.format(new Date(run.data_interval_start)) : ''
  }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.7, Math.max(runs.length - 0.3, 4)] },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
      s: { range: (_, __, max) => [0, Math.max(0.1, max * 1.1)] },
    },
    axes: [
      { ...axis, values: (_, ticks) => ticks.map((i) => (Number.isInteger(i) ? startOf(i) : '')), space: 110 },
      { ...axis, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? count(tick) : '')), size: 60 },
      {
        ...axis,
        scale: 's',
        side: 1,
        grid: { show: false },
        values: (_, ticks) => ticks.map((tick) => `${count(tick)} s`),
        size: 60,
      },
    ],
    series: [
      {},
      {
        label: 'Rows',
        stroke: colors.rows,
        fill: `${colors.rows}99`,
        width: 1,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [0.6, 40] }),
      },
      { label: 'Duration', scale: 's', stroke: colors.duration, width: 2, points: { show: true, size: 5 } },
      {
        label: 'Failed',
        stroke: colors.failed,
        fill: colors.failed,
        paths: () => null,
        points: { show: true, size: 9, fill: colors.failed },
      },
    ],
  }
}

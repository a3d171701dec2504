/** A small line of counts. The numbers are beside it as text. */
export function Sparkline({ counts }: { counts: number[] }) {
  const most = Math.max(1, ...counts)
  const points = counts.map((count, i) => {
    const x = counts.length > 1 ? (i / (counts.length - 1)) * WIDTH : WIDTH
    return `${x.toFixed(1)},${(HEIGHT - 1 - (count / most) * (HEIGHT - 2)).toFixed(1)}`
  })
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} />
      <polyline points={points.join(' ')} />
    </svg>
  )
}

const WIDTH = 120
const HEIGHT = 22

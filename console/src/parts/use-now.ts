import { useEffect, useState } from 'react'

/** The current time. The component is rendered again after each interval, so relative times stay right. */
export function useNow(every_ms = 15_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every_ms)
    return () => clearInterval(timer)
  }, [every_ms])
  return now
}

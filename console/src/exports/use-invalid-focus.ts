import { type RefObject, useEffect, useRef, useState } from 'react'

/**
 * Moves the focus to the first field with an error, which may be outside of the screen. After a change of the step without an
 * error, the heading of the step gets the focus.
 */
export function useInvalidFocus<Element extends HTMLElement>(
  step?: string,
): { ref: RefObject<Element | null>; focus: () => void } {
  const ref = useRef<Element>(null)
  const shown = useRef(step)
  const [wanted, setWanted] = useState(0)
  // The fields have their errors after the next render.
  useEffect(() => {
    const isNewStep = shown.current !== step
    shown.current = step
    if (wanted === 0 && !isNewStep) return
    const invalid = ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (invalid) invalid.focus()
    else if (isNewStep) ref.current?.querySelector<HTMLElement>('h2')?.focus()
  }, [wanted, step])
  return { ref, focus: () => setWanted((before) => before + 1) }
}

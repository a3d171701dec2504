import './exports.css'
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { NEW_EXPORT } from './paths.ts'
import { type NewExportSearch, STEPS, type Step } from './steps.ts'

const LABELS: Record<Step, string> = { where: 'Where', what: 'What', when: 'When' }

/** The three steps. Those that can be entered are links. */
export function StepNav({
  place,
  search,
  current,
  summaries,
  canEnter,
}: {
  place: { organization: string; project: string }
  search: NewExportSearch
  current: Step
  /** The choices of each step, as text. */
  summaries: Record<Step, string>
  canEnter: (step: Step) => boolean
}) {
  return (
    <nav aria-label="Steps">
      <ol className="steps">
        {STEPS.map((step, i) => {
          const isCurrent = step === current
          const isDone = STEPS.indexOf(current) > i
          const text = (
            <>
              <Text span size="sm" fw={isCurrent ? 600 : 500} display="block">
                {i + 1}. {LABELS[step]}
              </Text>
              <Text span size="xs" c="dimmed" display="block" className="wrap">
                {summaries[step] || '\u00a0'}
              </Text>
            </>
          )
          return (
            <li key={step} className="step" data-reached={isCurrent || isDone || undefined}>
              {isCurrent ? (
                <span aria-current="step">{text}</span>
              ) : canEnter(step) ? (
                <Link to={NEW_EXPORT} params={place} search={{ ...search, step: step === 'where' ? undefined : step }}>
                  {text}
                </Link>
              ) : (
                <span>{text}</span>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

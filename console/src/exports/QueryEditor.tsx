import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import type { WorkspaceError } from '../api.ts'
import { editing } from '../parts/editor.ts'
import { placeIn } from '../parts/query-place.ts'

const KEYWORDS = new Set(
  'select from where and or not in is null as like ilike between case when then else end true false'.split(' '),
)

/** The words of HogQL. The packages for SQL and for diagnostics would add 17 kB to the page. */
const hogql = StreamLanguage.define({
  token: (stream) => {
    if (stream.eatSpace()) return null
    if (stream.match(/^--.*/)) return 'comment'
    if (stream.match(/^'(?:[^'\\]|\\.|'')*'?/)) return 'string'
    if (stream.match(/^\d+(?:\.\d+)?/)) return 'number'
    if (stream.match(/^[\w$]+/)) return KEYWORDS.has(stream.current().toLowerCase()) ? 'keyword' : 'variableName'
    stream.next()
    return 'punctuation'
  },
})

/** Marks the place of an error. */
const setError = StateEffect.define<{ from: number; to: number } | null>()
const errorMark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) => {
    const effect = effects.find((effect) => effect.is(setError))
    if (!effect) return marks.map(changes)
    const { value } = effect
    return value
      ? Decoration.set(Decoration.mark({ class: 'query-error' }).range(value.from, value.to))
      : Decoration.none
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** Colors of the theme, which pass the contrast checks in both color schemes. */
const highlight = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--mantine-color-anchor)', fontWeight: '600' },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--mantine-color-text)' },
  { tag: [tags.comment, tags.punctuation, tags.operator], color: 'var(--mantine-color-dimmed)' },
])

const look = EditorView.theme({
  '&': { fontSize: '0.85rem', backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  '.cm-content': { minHeight: '7rem', caretColor: 'var(--mantine-color-text)', fontFamily: 'ui-monospace, monospace' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.query-error': { borderBottom: '2px solid var(--mantine-color-error)' },
  '.cm-placeholder': { color: 'var(--mantine-color-dimmed)' },
  '&.cm-focused': { outline: 'none' },
})

/** An editor for HogQL that marks the place of an error. Tab leaves the editor. */
export default function QueryEditor({
  value,
  onChange,
  error,
  labelledBy,
  describedBy,
}: {
  value: string
  onChange: (text: string) => void
  error: WorkspaceError | undefined
  labelledBy: string
  describedBy: string
}) {
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  const change = useRef(onChange)
  change.current = onChange

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor keeps its own text.
  useEffect(() => {
    if (!box.current) return
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          editing((text) => change.current(text)),
          hogql,
          errorMark,
          syntaxHighlighting(highlight),
          look,
          placeholder('SELECT event, timestamp FROM events'),
          EditorView.contentAttributes.of({ 'aria-labelledby': labelledBy, 'aria-describedby': describedBy }),
        ],
      }),
    })
    editor.current = view
    return () => view.destroy()
  }, [])

  useEffect(() => {
    const view = editor.current
    if (!view) return
    const text = view.state.doc.toString()
    const from = error === undefined ? undefined : placeIn(text, error)
    const length = from === undefined ? 0 : (/^\w+|^./.exec(text.slice(from))?.[0].length ?? 0)
    // An error at the end of the text marks the last character.
    const start = from === undefined || length > 0 ? from : Math.max(0, from - 1)
    const end = (from ?? 0) + length
    view.dispatch({ effects: setError.of(start === undefined || start === end ? null : { from: start, to: end }) })
  }, [error])

  return <div ref={box} className="query-editor" />
}

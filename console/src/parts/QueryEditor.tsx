import './query-editor.css'
import { closeCompletion } from '@codemirror/autocomplete'
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { EditorState, Prec, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useLayoutEffect, useRef } from 'react'
import type { WorkspaceError } from '../api.ts'
import { editing } from './editor.ts'
import { completion, type FindNames } from './query-completion.ts'
import { placeIn } from './query-place.ts'

const KEYWORDS = new Set(
  `select distinct from where group by having order asc desc limit offset and or not in is null as like ilike between
  interval case when then else end true false`.split(/\s+/),
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
  '.cm-scroller': { maxHeight: '40vh' },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    boxShadow: 'var(--mantine-shadow-md)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'ui-monospace, monospace' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-color-white)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', fontFamily: 'var(--mantine-font-family)', opacity: '0.85' },
  '.cm-placeholder': { color: 'var(--mantine-color-dimmed)' },
  '&.cm-focused': { outline: 'none' },
})

/** An editor for HogQL that completes names and marks the place of an error. Tab leaves the editor. */
export default function QueryEditor({
  value,
  onChange,
  onRun,
  findNames,
  error,
  labelledBy,
  describedBy,
}: {
  value: string
  onChange: (text: string) => void
  /** Ctrl+Enter or Cmd+Enter. */
  onRun?: () => void
  findNames: FindNames
  error: WorkspaceError | undefined
  labelledBy: string
  describedBy: string
}) {
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  const latest = useRef({ onChange, onRun, findNames })
  latest.current = { onChange, onRun, findNames }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor keeps its own text.
  useLayoutEffect(() => {
    if (!box.current) return
    const run = (view: EditorView): boolean => {
      closeCompletion(view)
      latest.current.onRun?.()
      return latest.current.onRun !== undefined
    }
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
          editing((text) => latest.current.onChange(text)),
          hogql,
          errorMark,
          completion((kind, search) => latest.current.findNames(kind, search)),
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

  // The text may change from outside. A layout effect runs before the next key, so it never replaces newer text.
  useLayoutEffect(() => {
    const view = editor.current
    if (!view || view.state.doc.toString() === value) return
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    const view = editor.current
    if (view) view.dispatch({ effects: setError.of(error ? wordAt(view.state.doc.toString(), error) : null) })
  }, [error])

  return <div ref={box} className="query-editor" />
}

/** The word or the character that an error is about. At the end of the text it is the last character. */
function wordAt(text: string, error: WorkspaceError): { from: number; to: number } | null {
  const from = placeIn(text, error)
  if (from === undefined) return null
  const length = /^\w+|^./.exec(text.slice(from))?.[0].length ?? 0
  const start = length > 0 ? from : Math.max(0, from - 1)
  return start === from + length ? null : { from: start, to: from + length }
}

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { nonce } from '../nonce.ts'
import { placeIn } from './query-place.ts'

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
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px solid var(--mantine-color-error)' },
  '.cm-tooltip': { color: 'var(--mantine-color-text)', backgroundColor: 'var(--mantine-color-body)' },
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
  error: string | undefined
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
          lineNumbers(),
          history(),
          bracketMatching(),
          sql(),
          syntaxHighlighting(highlight),
          look,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          placeholder('SELECT event, timestamp FROM events'),
          EditorView.lineWrapping,
          EditorView.cspNonce.of(nonce),
          EditorView.contentAttributes.of({ 'aria-labelledby': labelledBy, 'aria-describedby': describedBy }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) change.current(state.doc.toString())
          }),
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
    const from = error === undefined ? null : placeIn(text, error)
    const length = from === null ? 0 : (/^\w+|^./.exec(text.slice(from))?.[0].length ?? 0)
    view.dispatch(
      setDiagnostics(
        view.state,
        from === null || error === undefined
          ? []
          : [
              {
                from: length === 0 ? Math.max(0, from - 1) : from,
                to: from + length,
                severity: 'error',
                message: error,
              },
            ],
      ),
    )
  }, [error])

  return <div ref={box} className="query-editor" />
}

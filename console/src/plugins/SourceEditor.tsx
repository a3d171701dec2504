/** The code editor. It is a chunk of its own, because it is larger than the rest of the page. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, setDiagnostics } from '@codemirror/lint'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { nonce } from '../nonce.ts'

/** Each color has a contrast of at least 4.5 in its scheme. */
const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'light-dark(#862e9c, #e599f7)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'light-dark(#2b6e3f, #8ce99a)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'light-dark(#a63c06, #ffc078)' },
  { tag: [tags.comment, tags.meta], color: 'light-dark(#5c636a, #adb5bd)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'light-dark(#1864ab, #74c0fc)' },
  { tag: [tags.typeName, tags.className], color: 'light-dark(#0b7285, #66d9e8)' },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'light-dark(#364fc7, #91a7ff)' },
])

const look = EditorView.theme({
  '&': { fontSize: '13px', backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
  '.cm-scroller': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace' },
  '.cm-content, .cm-gutter': { minHeight: '320px' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'light-dark(#d0ebff, #1c3d5a)' },
})

const languageOf = (name: string): Extension => {
  if (name.endsWith('.json')) return [json(), linter(jsonParseLinter())]
  if (/\.[cm]?[jt]sx?$/.test(name)) return javascript({ typescript: /tsx?$/.test(name), jsx: /x$/.test(name) })
  return []
}

/**
 * Replaces a selection as a transaction. The browser would replace it in the page and keep the colors of the old text
 * as inline styles, which the content security policy blocks with an error in the console.
 */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { data, inputType } = event
    if (inputType !== 'insertText' || data === null || view.composing) return false
    if (view.state.selection.main.empty && data.length === 1) return false
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type' })
    return true
  },
})

/** The server writes "Line 3, column 5: reason". An error without a position is about the whole file. */
function diagnosticOf(message: string, text: Text): Diagnostic {
  const [, line, column, reason] = /^Line (\d+), column (\d+): (.*)$/s.exec(message) ?? []
  if (line === undefined) return { from: 0, to: text.line(1).to, severity: 'error', message }
  const { from, to } = text.line(Math.min(Number(line), text.lines))
  const start = Math.min(from + Number(column) - 1, to)
  return { from: start, to: Math.max(start, to), severity: 'error', message: reason ?? message }
}

/** Edits `text`, which is read once: another text needs another editor. */
export function SourceEditor({
  name,
  text,
  error,
  onChange,
}: {
  name: string
  text: string
  error: string | undefined
  onChange: (text: string) => void
}) {
  const parent = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  const changed = useRef(onChange)
  changed.current = onChange

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor owns the text after its start.
  useEffect(() => {
    if (!parent.current) return
    const view = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': `Source of ${name}` }),
          lineNumbers(),
          history(),
          indentOnInput(),
          bracketMatching(),
          lintGutter(),
          syntaxHighlighting(highlighting),
          look,
          replaceSelection,
          languageOf(name),
          // Tab is not bound, so the keyboard can leave the editor.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString())
          }),
        ],
      }),
    })
    editor.current = view
    return () => view.destroy()
  }, [])

  useEffect(() => {
    const view = editor.current
    if (!view || name.endsWith('.json')) return
    const diagnostics = error === undefined ? [] : [diagnosticOf(error, view.state.doc)]
    view.dispatch(setDiagnostics(view.state, diagnostics))
  }, [error, name])

  return <div ref={parent} className="source-editor" />
}

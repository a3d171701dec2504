/** The code editor. It is a chunk of its own, because it is larger than the rest of the page. */
import { HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension, StateEffect, StateField, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { editing } from '../parts/editor.ts'

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
  '.cm-content, .cm-gutter': { minHeight: 'var(--editor-height, 320px)' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-error-line': { boxShadow: 'inset 3px 0 0 var(--mantine-color-error)' },
  '.cm-error-text': { color: 'var(--mantine-color-error)', fontStyle: 'italic', paddingLeft: '1.5em' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'light-dark(#d0ebff, #1c3d5a)' },
})

const KEYWORDS = new Set(
  `abstract as async await break case catch class const continue debugger declare default delete do else enum export extends
  finally for from function get if implements import in instanceof interface let new of private protected public readonly
  return satisfies set static super switch this throw try type typeof var void while with yield`.split(/\s+/),
)
const ATOMS = new Set(['true', 'false', 'null', 'undefined', 'NaN', 'Infinity'])

interface Open {
  /** The construct that continues from the previous line. */
  open: 'comment' | 'template' | null
}

/** The words of JavaScript, TypeScript and JSON. The packages for these languages would add 35 kB to the page. */
const script = StreamLanguage.define<Open>({
  startState: () => ({ open: null }),
  token: (stream, state) => {
    if (state.open === 'comment' || stream.match('/*')) {
      state.open = stream.match(/^.*?\*\//) ? null : 'comment'
      if (state.open) stream.skipToEnd()
      return 'comment'
    }
    if (state.open === 'template' || stream.match('`')) {
      state.open = stream.match(/^(?:[^`\\]|\\.)*`/) ? null : 'template'
      if (state.open) stream.skipToEnd()
      return 'string'
    }
    if (stream.eatSpace()) return null
    if (stream.match(/^\/\/.*/)) return 'comment'
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return 'string'
    if (stream.match(/^\d[\w.]*/)) return 'number'
    if (stream.match(/^[\w$]+/)) {
      const word = stream.current()
      if (KEYWORDS.has(word)) return 'keyword'
      if (ATOMS.has(word)) return 'atom'
      return stream.match(/^\s*\(/, false) ? 'variableName.function' : 'variableName'
    }
    stream.next()
    return 'punctuation'
  },
})

const languageOf = (name: string): Extension => (/\.(?:json|[cm]?[jt]sx?)$/.test(name) ? script : [])

/** Follows the line of an error. */
class ErrorText extends WidgetType {
  readonly message: string

  constructor(message: string) {
    super()
    this.message = message
  }

  toDOM(): HTMLElement {
    const text = document.createElement('span')
    text.className = 'cm-error-text'
    text.textContent = this.message
    return text
  }
}

export interface SourceError {
  detail: string
  /** Counted from 1. An error of the whole file is shown at its first line. */
  line: number
}

function errorMark({ detail, line }: SourceError, text: Text): DecorationSet {
  const { from, to } = text.line(Math.min(line, text.lines))
  return Decoration.set([
    Decoration.line({ class: 'cm-error-line' }).range(from),
    Decoration.widget({ widget: new ErrorText(detail), side: 1 }).range(to),
  ])
}

const setError = StateEffect.define<SourceError | undefined>()

/** One error is enough, so `@codemirror/lint`, which takes 9 kB, is not needed. */
const errorMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects, state }) =>
    effects.reduce((marks, effect) => {
      if (!effect.is(setError)) return marks
      return effect.value === undefined ? Decoration.none : errorMark(effect.value, state.doc)
    }, marks.map(changes)),
  provide: (field) => EditorView.decorations.from(field),
})

/** Edits `text`, which is read once: another text needs another editor. */
export function SourceEditor({
  name,
  label = `Source of ${name}`,
  text,
  error,
  onChange,
}: {
  /** Its ending decides the language. */
  name: string
  label?: string
  text: string
  error: SourceError | undefined
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
          editing((text) => changed.current(text)),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          indentOnInput(),
          errorMarks,
          syntaxHighlighting(highlighting),
          look,
          languageOf(name),
        ],
      }),
    })
    editor.current = view
    return () => view.destroy()
  }, [])

  const { detail, line } = error ?? {}
  useEffect(() => {
    const shown = detail === undefined || line === undefined ? undefined : { detail, line }
    editor.current?.dispatch({ effects: setError.of(shown) })
  }, [detail, line])

  return <div ref={parent} className="source-editor" />
}

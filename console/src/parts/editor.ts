/** The parts that the editors of queries and of sources share. Import it only in their lazy chunks. */
import { history, historyKeymap, standardKeymap } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { nonce } from '../nonce.ts'

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

/** Line numbers, undo and the usual keys. Tab is not bound, so the keyboard can leave the editor. */
export const editing = (onChange: (text: string) => void): Extension => [
  EditorView.cspNonce.of(nonce),
  EditorView.lineWrapping,
  lineNumbers(),
  history(),
  bracketMatching(),
  replaceSelection,
  keymap.of([...standardKeymap, ...historyKeymap]),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) onChange(state.doc.toString())
  }),
]

import { useState } from 'react'

/** The item that a dialog asks about. It stays set while the dialog closes, so its text does not vanish early. */
export function useDialogItem<Item>() {
  const [item, setItem] = useState<Item>()
  const [opened, setOpened] = useState(false)
  return {
    item,
    opened,
    ask: (next: Item): void => {
      setItem(next)
      setOpened(true)
    },
    close: () => setOpened(false),
  }
}

/** Something that has to be stopped or closed at the end. */
export interface Part {
  stop(): unknown
}

/** Notes a part that was opened, and returns it. */
export type Keep = <Opened extends Part>(part: Opened) => Opened

export interface Parts {
  keep: Keep
  /** Stops the parts, the last one first. A failure does not stop the others from being stopped. */
  stop(): Promise<void>
}

/** The parts of a program that are open, in the order in which they were opened. */
export function createParts(): Parts {
  const open: Part[] = []
  const stop = async (): Promise<void> => {
    const last = open.pop()
    if (!last) return
    try {
      await last.stop()
    } finally {
      await stop()
    }
  }
  return {
    keep: (part) => {
      open.push(part)
      return part
    },
    stop,
  }
}

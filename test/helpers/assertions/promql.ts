/** Finds the metrics and labels that a PromQL expression uses. */

export interface Usage {
  /** Each metric with the labels that its matchers name. */
  metrics: { name: string; labels: string[] }[]
  /** The labels of by, without, on, ignoring and group_left. */
  grouping: string[]
}

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'without', 'on', 'ignoring', 'group_left'])

const names = (list: string): string[] => list.match(/[a-zA-Z_]\w*/g) ?? []

/** Reads an expression without parsing its grammar. Every name that is not a function, a keyword or a label is a metric. */
export function usageOf(expression: string): Usage {
  const grouping: string[] = []
  const text = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\[[^\]]*\]/g, '')
    .replace(GROUPING, (_, labels: string) => {
      grouping.push(...names(labels))
      return ' '
    })
  const metrics = [...text.matchAll(/([a-zA-Z_:][\w:]*)\s*(\{[^}]*\}|\()?/g)].flatMap(([, name = '', follows = '']) =>
    follows === '(' || WORDS.has(name)
      ? []
      : { name, labels: [...follows.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label) },
  )
  return { metrics, grouping }
}

/** The metrics of a scrape, with all labels of their samples. Histograms have the names of their samples too. */
export function parseScrape(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name === undefined) continue
    const known = found.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label)
    found.set(name, known)
  }
  return found
}

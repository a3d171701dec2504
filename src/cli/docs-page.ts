/** A page of the documentation as HTML: Markdown without raw HTML, headings with the anchors of GitHub, a table of contents. */
import { Marked } from 'marked'
import { escapeHtml } from '../api/html.ts'

export interface PageTitle {
  /** The URL, which is the file's path in the repository. */
  path: string
  title: string
}

interface Heading {
  depth: number
  anchor: string
  html: string
}

/** The level of headings that the table of contents lists besides the title. */
const CONTENTS_DEPTH = 3

export function renderPage(page: PageTitle, markdown: string, pages: readonly PageTitle[]): string {
  const { html, headings } = renderMarkdown(markdown)
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(page.title)}</title><link rel="stylesheet" href="/style.css"></head>
<body>
<a class="to-contents" href="#contents">Contents</a>
<main>
${html}</main>
<nav id="contents" aria-label="Contents">
<h2>Pages</h2>
<ul>${pages.map((other) => pageLink(other, other.path === page.path)).join('')}<li><a href="/docs">API reference</a></li></ul>
<h2>On this page</h2>
<ul>${headings
    .filter(({ depth }) => depth > 1 && depth <= CONTENTS_DEPTH)
    .map(headingLink)
    .join('')}</ul>
</nav>
</body>
</html>
`
}

/** The pages about the architecture are indented below their overview. */
const pageLink = ({ path, title }: PageTitle, isCurrent: boolean): string =>
  `<li class="depth-${path.startsWith('/docs/architecture/') ? 3 : 2}"><a href="${escapeHtml(path)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`

const headingLink = ({ depth, anchor, html }: Heading): string =>
  `<li class="depth-${depth}"><a href="#${escapeHtml(anchor)}">${html}</a></li>`

function renderMarkdown(markdown: string): { html: string; headings: Heading[] } {
  const headings: Heading[] = []
  const marked = new Marked({
    renderer: {
      html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = this.parser.parseInline(tokens, this.parser.textRenderer)
        const anchor = anchorOf(
          text,
          headings.map((heading) => heading.anchor),
        )
        headings.push({ depth, anchor, html: escapeHtml(text) })
        return `<h${depth} id="${escapeHtml(anchor)}">${html}</h${depth}>\n`
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { html, headings }
}

/** The anchor that GitHub derives from a heading, which the links of the pages use. */
function anchorOf(text: string, taken: readonly string[]): string {
  const plain = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
  let anchor = plain
  for (let i = 1; taken.includes(anchor); i++) anchor = `${plain}-${i}`
  return anchor
}

/** The targets of the links of a page, in their order. */
export function linksOf(markdown: string): string[] {
  const marked = new Marked()
  const links: string[] = []
  marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === 'link') links.push(token.href)
  })
  return links
}

export const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? ''

export const STYLE = `:root { color-scheme: light dark; --line: #d0d7de; --shade: #f4f6f8; --link: #0b5cad }
@media (prefers-color-scheme: dark) { :root { --line: #3b434d; --shade: #1c2128; --link: #79b8ff } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif }
main, nav { padding: 1rem; min-width: 0 }
main { max-width: 60rem }
a { color: var(--link) }
h1, h2, h3, h4 { line-height: 1.25; scroll-margin-top: 1rem }
code, pre { font: .9em/1.5 ui-monospace, monospace }
code { background: var(--shade); padding: .1em .25em; border-radius: 3px; overflow-wrap: anywhere }
pre { background: var(--shade); padding: .75rem 1rem; border-radius: 6px; overflow-x: auto }
th code, td code { overflow-wrap: normal }
pre code { padding: 0; background: none; overflow-wrap: normal }
table { display: block; overflow-x: auto; border-collapse: collapse }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top }
img { max-width: 100%; height: auto }
nav { border-top: 1px solid var(--line); font-size: .9em }
nav h2 { font-size: 1em }
nav ul { list-style: none; padding: 0; margin: 0 }
nav a { text-decoration: none }
nav a:hover, nav a:focus, nav a[aria-current] { text-decoration: underline }
.depth-3 { padding-left: 1rem }
.to-contents { display: block; padding: 1rem 1rem 0 }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 17rem minmax(0, 1fr) }
  .to-contents { display: none }
  nav { grid-area: 1 / 1; border: 0; border-right: 1px solid var(--line); position: sticky; top: 0; height: 100vh; overflow-y: auto }
  main { grid-area: 1 / 2; padding: 1rem 2rem 4rem }
}
`

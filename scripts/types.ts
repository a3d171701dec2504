/**
 * The type declarations of the package as one file without imports: everything that src/main.ts exports, and the types
 * they mention. Types computed by a library, such as the settings, are expanded. Fails if a library's type remains.
 */
import { resolve, sep } from 'node:path'
import ts from 'typescript'
import { describeSettings } from '../src/config.ts'

const SOURCES = resolve('src') + sep
const ENTRY = resolve('src/main.ts')
/** Declares `Symbol.asyncDispose`, which consumers with an older target do not have. It is part of TypeScript since 5.2. */
const HEADER = '/// <reference lib="esnext.disposable" />'

export function packageTypes(): string {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [ENTRY] }, ts.sys, '.')
  const program = ts.createProgram([ENTRY], { ...options, incremental: false, tsBuildInfoFile: undefined })
  const checker = program.getTypeChecker()
  const entry = program.getSourceFile(ENTRY)
  const main = entry && checker.getSymbolAtLocation(entry)
  if (!main) throw new Error(`${ENTRY} is not a module.`)

  const queue = checker.getExportsOfModule(main).map((symbol) => original(checker, symbol))
  const printed = new Set<ts.Symbol>()
  const parts: string[] = []
  for (let symbol = queue.shift(); symbol; symbol = queue.shift()) {
    const declarations = publicDeclarations(symbol)
    const [declaration] = declarations
    if (printed.has(symbol) || !declaration) continue
    printed.add(symbol)
    const mentioned = declarations.flatMap((one) => referencesOf(checker, one))
    const foreign = mentioned.find((other) => placeOf(program, other) === 'library')
    if (foreign && !ts.isTypeAliasDeclaration(declaration))
      throw new Error(`${symbol.name} mentions ${foreign.name} of a library, which consumers may not have.`)
    if (foreign) parts.push(expandedAlias(checker, symbol))
    else parts.push(...declarations.map((one) => declarationText(symbol, one)))
    if (!foreign) queue.push(...mentioned.filter((other) => placeOf(program, other) === 'source'))
  }
  return `${[HEADER, ...parts].join('\n\n')}\n`
}

/** Callers see the overloads of a function, but not its implementation. */
function publicDeclarations({ declarations = [] }: ts.Symbol): ts.Declaration[] {
  const overloads = declarations.filter((one) => ts.isFunctionDeclaration(one) && !one.body)
  return overloads.length ? overloads : declarations.slice(0, 1)
}

const original = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** The types named by a declaration, without the bodies of functions. */
function referencesOf(checker: ts.TypeChecker, declaration: ts.Node): ts.Symbol[] {
  const found: ts.Symbol[] = []
  const visit = (node: ts.Node): void => {
    const name = nameIn(node)
    const symbol = name && checker.getSymbolAtLocation(name)
    if (symbol && !(symbol.flags & ts.SymbolFlags.TypeParameter)) found.push(original(checker, symbol))
    if (!ts.isBlock(node)) ts.forEachChild(node, visit)
  }
  visit(declaration)
  return found
}

function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isTypeQueryNode(node)) return node.exprName
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined
}

function placeOf(program: ts.Program, symbol: ts.Symbol): 'language' | 'source' | 'library' {
  const [file] = symbol.declarations?.map((declaration) => declaration.getSourceFile()) ?? []
  if (!file || program.isSourceFileDefaultLibrary(file)) return 'language'
  return file.fileName.startsWith(SOURCES) ? 'source' : 'library'
}

const FLAGS = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias

function expandedAlias(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const descriptions = new Map(describeSettings().map(({ name, description }) => [name, description]))
  const members = checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .map((member) => {
      const type = checker.typeToString(checker.getTypeOfSymbol(member), undefined, FLAGS)
      const description = descriptions.get(member.name)
      const isOptional = member.flags & ts.SymbolFlags.Optional
      return `${description ? `  /** ${description}. */\n` : ''}  ${member.name}${isOptional ? '?' : ''}: ${type}`
    })
  return `export interface ${symbol.name} {\n${members.join('\n')}\n}`
}

function declarationText(symbol: ts.Symbol, declaration: ts.Declaration): string {
  const comments = ts.getJSDocCommentsAndTags(declaration).map((comment) => comment.getText())
  if (!ts.isFunctionDeclaration(declaration))
    return [...comments, declaration.getText().replace(/^(?!export )/, 'export ')].join('\n')
  const parameters = declaration.parameters.map(({ name, type, initializer, questionToken }) => {
    const label = ts.isIdentifier(name) ? name.text : labelOf(type?.getText() ?? '')
    return `${label}${initializer || questionToken ? '?' : ''}: ${typeText(symbol, type)}`
  })
  const signature = `${symbol.name}(${parameters.join(', ')}): ${typeText(symbol, declaration.type)}`
  return [...comments, `export declare function ${signature}`].join('\n')
}

function typeText({ name }: ts.Symbol, type: ts.TypeNode | undefined): string {
  if (!type) throw new Error(`${name} needs explicit types, because the package exports it.`)
  return type.getText()
}

/** The name of a parameter that is destructured: `running` for `Running`, `options` for `StopOptions`. */
const labelOf = (type: string): string =>
  type.endsWith('Options') ? 'options' : type.charAt(0).toLowerCase() + type.slice(1)

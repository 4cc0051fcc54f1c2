import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

/** Reads the first argument of every `t(…)` and the `id` of every `<Trans>`; reports the line of a non-literal. */
function textsOf(file: string): { texts: string[]; unreadable: string[] } {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX)
  const texts: string[] = []
  const unreadable: string[] = []
  const take = (node: ts.Node | undefined): void => {
    if (node && ts.isStringLiteralLike(node)) texts.push(node.text)
    else unreadable.push(`${file}:${source.getLineAndCharacterOfPosition(node?.getStart() ?? 0).line + 1}`)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 't')
      take(node.arguments[0])
    if (isTrans(node)) take(idOf(node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { texts, unreadable }
}

const isTrans = (node: ts.Node): node is ts.JsxSelfClosingElement =>
  ts.isJsxSelfClosingElement(node) && node.tagName.getText() === 'Trans'

function idOf(node: ts.JsxSelfClosingElement): ts.Node | undefined {
  const id = node.attributes.properties.find((one) => ts.isJsxAttribute(one) && one.name.getText() === 'id')
  return id && ts.isJsxAttribute(id) ? id.initializer : undefined
}

/** Returns the catalog of a source file: its screen's, else the frame's; both relative to `src`. */
function catalogOf(file: string): string {
  const [screens, folder] = file.split('/')
  return screens === 'screens' ? `screens/${folder}/de.json` : 'locales/de.json'
}

export function textsByCatalog(src: string): { texts: Map<string, Set<string>>; unreadable: string[] } {
  const texts = new Map<string, Set<string>>()
  const unreadable: string[] = []
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  )
  for (const file of files) {
    const found = textsOf(join(src, file))
    unreadable.push(...found.unreadable.map((place) => relative(src, place)))
    const known = texts.get(catalogOf(file)) ?? new Set()
    texts.set(catalogOf(file), new Set([...known, ...found.texts]))
  }
  return { texts, unreadable }
}
